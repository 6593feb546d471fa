// Runs simulations, each in a new database of a throw-away Postgres.
import { runProgram } from '@dexfeed/service'
import { startBenchDatabase } from '../bench/bench-database.ts'
import { checkSimulate } from './settings.ts'
import { simulate } from './simulate.ts'

const PROGRESS_EVERY_MS = 5_000

runProgram('simulate', checkSimulate, async ({ settings, shutdown }) => {
  const { runs, blocks, blooms } = settings
  const { signal } = shutdown
  const database = await startBenchDatabase(shutdown, { durable: false })
  for (let seed = settings.seed; seed < settings.seed + runs && !signal.aborted; seed++) {
    const databaseUrl = await database.create(`simulation_${seed}`, { migrated: true })
    process.stdout.write(`seed ${seed}, ${blocks} blocks per network\n`)
    const started = Date.now()
    let shownAt = started
    const onProgress = (text: string) => {
      if (Date.now() - shownAt < PROGRESS_EVERY_MS) return
      shownAt = Date.now()
      process.stdout.write(`  ${text}\n`)
    }
    const { faults, ...tally } = await simulate({ databaseUrl, seed, blocks, blooms, signal, onProgress })
    const seconds = Math.round((Date.now() - started) / 1000)
    process.stdout.write(`${JSON.stringify({ seed, blocks, seconds, ...tally, faults })}\n`)
  }
  shutdown.begin('done', 0)
})
