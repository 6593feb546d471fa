import { runCommand } from '@dexfeed/service'
import { run } from '../cli/backfill.ts'

runCommand(run)
