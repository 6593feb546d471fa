import { runCommand } from '@dexfeed/service'
import { run } from './query-command.ts'

runCommand(run)
