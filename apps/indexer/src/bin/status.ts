import { runCommand } from '@dexfeed/service'
import { run } from '../cli/status.ts'

runCommand(run)
