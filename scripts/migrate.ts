import { runCommand } from '@dexfeed/service'
import { run } from './migrate/migrate-command.ts'

runCommand(run)
