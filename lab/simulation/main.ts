// Runs simulations, each in a new database of a throw-away Postgres.
import { parseArgs } from 'node:util'
import { type Check, type ProgramSettings, runProgram } from '@dexfeed/service'
import { startBenchDatabase } from '../bench/bench-database.ts'
import type { Crowd } from '../index.ts'
import { choice, readAll, whole } from '../options.ts'
import { simulate } from './simulate.ts'

const PROGRESS_EVERY_MS = 5_000
const MAX = 999_999_999

interface SimulateSettings extends ProgramSettings {
  seed: number
  runs: number
  blocks: number
  blooms: Crowd | null
}

const checkSimulate: Check<SimulateSettings> = () => {
  const options = {
    seed: whole(null, 0, MAX),
    blocks: whole(2_000, 0, MAX),
    runs: whole(1, 0, MAX),
    blooms: choice(['usual', 'full', 'none'], null),
  }
  try {
    const values = readAll(options, parseArgs({ args: process.argv.slice(2), options }).values)
    const seed = values.seed ?? Math.floor(Math.random() * MAX)
    return { settings: { ...values, seed, logLevel: 'warn', databaseUrl: null, warnings: [] } }
  } catch (error) {
    return { problems: [`simulate: ${(error as Error).message}`] }
  }
}

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
