// npm run bench -- index | live | mainnet | quote | figures | api [options]: measures, prints a table and as the last line one JSON object.
import { runProgram } from '@dexfeed/service'
import { benchApi } from './api/api-bench.ts'
import { checkBench } from './bench-arguments.ts'
import { benchIndex } from './index-bench.ts'
import { benchLive } from './live-bench.ts'
import { benchMainnet } from './mainnet/mainnet-bench.ts'
import { benchFigures } from './quote/figures-bench.ts'
import { benchQuote } from './quote/quote-bench.ts'

const BENCHES = {
  index: benchIndex,
  live: benchLive,
  mainnet: benchMainnet,
  quote: benchQuote,
  figures: benchFigures,
  api: benchApi,
}

runProgram(
  'bench',
  checkBench(process.argv.slice(2), BENCHES),
  async ({ settings: { bench, options }, shutdown }) => {
    const { table, figures } = await BENCHES[bench](options, shutdown)
    process.stdout.write(`\n${table.map(([name, value]) => `${name.padEnd(44)}${value}`).join('\n')}\n\n`)
    process.stdout.write(`${JSON.stringify({ bench, ...figures })}\n`)
    shutdown.begin('done', 0)
  },
  { logTo: 'stderr' },
)
