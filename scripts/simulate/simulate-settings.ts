import { parseArgs } from 'node:util'
import type { Check, ProgramSettings } from '@dexfeed/service'

const DEFAULT_BLOCKS = 2_000
const MAX_SEED = 1_000_000

export interface SimulateSettings extends ProgramSettings {
  /** Of the first run; each further one has the next. */
  seed: number
  runs: number
  /** Per network. */
  blocks: number
}

/** Reads the command line; the environment has no say here. */
export const checkSimulate: Check<SimulateSettings> = () => {
  const options = { seed: { type: 'string' }, blocks: { type: 'string' }, runs: { type: 'string' } } as const
  let values: { seed?: string; blocks?: string; runs?: string }
  try {
    values = parseArgs({ args: process.argv.slice(2), options }).values
  } catch (error) {
    return {
      problems: [`simulate: ${(error as Error).message}`, 'simulate: there are --seed S, --blocks N and --runs K'],
    }
  }
  const numbers = {
    seed: Number(values.seed ?? Math.floor(Math.random() * MAX_SEED)),
    blocks: Number(values.blocks ?? DEFAULT_BLOCKS),
    runs: Number(values.runs ?? 1),
  }
  const problems = Object.entries(numbers)
    .filter(([, value]) => !Number.isSafeInteger(value) || value < 0 || value > MAX_SEED)
    .map(([name]) => `simulate: --${name} must be a whole number from 0 to ${MAX_SEED}`)
  if (problems.length > 0) return { problems }
  return { settings: { ...numbers, logLevel: 'warn', databaseUrl: null, warnings: [] } }
}
