import { runCommand } from '@dexfeed/service'
import { run } from './clickhouse-command.ts'

runCommand(run)
