import { runCommand } from '@dexfeed/service'
import { run } from '../cli/doctor.ts'

runCommand(run)
