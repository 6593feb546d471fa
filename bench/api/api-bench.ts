import type { Shutdown } from '@dexfeed/service'
import type { BenchOptions } from '../bench-arguments.ts'
import { startBenchDatabase } from '../bench-database.ts'
import type { BenchResult } from '../bench-result.ts'
import { benchList } from './list-bench.ts'
import { benchOperations } from './operations-bench.ts'
import { benchStream } from './stream-bench.ts'

/** What the API's operations cost beside the least that a server can do. */
export async function benchApi({ rows }: BenchOptions, shutdown: Shutdown): Promise<BenchResult> {
  const database = await startBenchDatabase(shutdown)
  const operations = await benchOperations(database, shutdown)
  const stream = await benchStream(database, shutdown)
  const list = await benchList(database, rows, shutdown)
  return {
    table: [...operations.table, ...stream.table, ...list.table],
    figures: { ...operations.figures, ...stream.figures, ...list.figures },
  }
}
