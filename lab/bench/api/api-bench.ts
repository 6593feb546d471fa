import type { Shutdown } from '@dexfeed/service'
import { API_PARTS, type ApiPart, type BenchOptions } from '../bench-arguments.ts'
import { type BenchDatabase, startBenchDatabase } from '../bench-database.ts'
import type { BenchResult } from '../bench-result.ts'
import { benchList } from './list-bench.ts'
import { benchOperations } from './operations-bench.ts'
import { benchStream } from './stream-bench.ts'

type Part = (database: BenchDatabase, rows: number, shutdown: Shutdown) => Promise<BenchResult>

const PARTS: Readonly<Record<ApiPart, Part>> = {
  operations: (database, _rows, shutdown) => benchOperations(database, shutdown),
  stream: (database, _rows, shutdown) => benchStream(database, shutdown),
  list: benchList,
}

/** What the API's operations cost beside the least that a server can do; one part of it, or all. */
export async function benchApi({ rows, part }: BenchOptions, shutdown: Shutdown): Promise<BenchResult> {
  const database = await startBenchDatabase(shutdown)
  const results: BenchResult[] = []
  for (const name of part === null ? API_PARTS : [part]) results.push(await PARTS[name](database, rows, shutdown))
  return {
    table: results.flatMap(({ table }) => table),
    figures: Object.assign({}, ...results.map(({ figures }) => figures)),
  }
}
