import { runCommand } from '@dexfeed/service'
import { run } from './compare-command.ts'

runCommand(run)
