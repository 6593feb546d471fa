// npm run bench -- index | live | mainnet | quote | api [options]
// Prints a table and, on the last line, one JSON object.
import { runProgram, type Shutdown } from '@dexfeed/service'
import { benchList } from './api/list-bench.ts'
import { benchNeighbour } from './api/neighbour-bench.ts'
import { benchOperations } from './api/operations-bench.ts'
import { benchStream } from './api/stream-bench.ts'
import { benchV1 } from './api/v1-bench.ts'
import { type BenchDatabase, startBenchDatabase } from './bench-database.ts'
import type { BenchResult } from './bench-result.ts'
import { benchIndex } from './index-bench.ts'
import { benchLive } from './live-bench.ts'
import { benchMainnet } from './mainnet-bench.ts'
import { API_PARTS, type ApiPart, type BenchOptions, checkBench } from './options.ts'
import { benchQuote } from './quote/quote-bench.ts'

const BENCHES = {
  index: benchIndex,
  live: benchLive,
  mainnet: benchMainnet,
  quote: benchQuote,
  api: benchApi,
}

type Part = (database: BenchDatabase, rows: number, shutdown: Shutdown) => Promise<BenchResult>

const PARTS: Readonly<Record<ApiPart, Part>> = {
  operations: (database, _rows, shutdown) => benchOperations(database, shutdown),
  stream: (database, _rows, shutdown) => benchStream(database, shutdown),
  list: benchList,
  v1: benchV1,
  neighbour: benchNeighbour,
}

runProgram(
  'bench',
  checkBench(process.argv.slice(2), BENCHES),
  async ({ settings: { bench, options }, shutdown }) => {
    const { figures, notes = [], failure } = await BENCHES[bench](options, shutdown)
    const table = [...Object.entries(figures), ...notes]
    process.stdout.write(`\n${table.map(([name, value]) => `${name.padEnd(44)}${value}`).join('\n')}\n\n`)
    process.stdout.write(`${JSON.stringify({ bench, ...figures })}\n`)
    if (failure === undefined) shutdown.begin('done', 0)
    else shutdown.begin(failure, 1)
  },
  { logTo: 'stderr' },
)

/** Runs one part, or all except `neighbour`, which takes minutes and fails if responses are too slow. */
async function benchApi({ rows, part }: BenchOptions, shutdown: Shutdown): Promise<BenchResult> {
  const database = await startBenchDatabase(shutdown)
  const results: BenchResult[] = []
  const parts = part === null ? API_PARTS.filter((name) => name !== 'neighbour') : [part]
  for (const name of parts) {
    process.stderr.write(`${name} ...\n`)
    results.push(await PARTS[name](database, rows, shutdown))
  }
  const failure = results.flatMap(({ failure }) => failure ?? []).join('; ')
  return {
    notes: results.flatMap(({ notes = [] }) => notes),
    figures: Object.assign({}, ...results.map(({ figures }) => figures)),
    ...(failure !== '' && { failure }),
  }
}
