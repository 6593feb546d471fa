import { runCommand } from '@dexfeed/service'
import { run } from './export-command.ts'

runCommand(run)
