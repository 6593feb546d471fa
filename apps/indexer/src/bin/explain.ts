import { runCommand } from '@dexfeed/service'
import { run } from '../cli/explain.ts'

runCommand(run)
