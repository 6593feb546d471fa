// npm run bench -- index | live [options]: measures, prints a table and as the last line one JSON object.
import { readArguments } from './bench-arguments.ts'
import { benchIndex } from './index-bench.ts'
import { benchLive } from './live-bench.ts'

const BENCHES = { index: benchIndex, live: benchLive }

try {
  const { bench, options } = readArguments(process.argv.slice(2), BENCHES)
  const { table, figures } = await BENCHES[bench](options)
  process.stdout.write(`\n${table.map(([name, value]) => `${name.padEnd(44)}${value}`).join('\n')}\n\n`)
  process.stdout.write(`${JSON.stringify({ bench, ...figures })}\n`)
  process.exitCode = 0
} catch (error) {
  process.stderr.write(`bench: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`)
  process.exitCode = 1
}
