import { runCommand } from '@dexfeed/service'
import { run } from '../cli/verify.ts'

runCommand(run)
