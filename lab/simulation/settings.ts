import { parseArgs } from 'node:util'
import type { Check, ProgramSettings } from '@dexfeed/service'
import type { Crowd } from '../index.ts'

const DEFAULT_BLOCKS = 2_000
const MAX_SEED = 1_000_000_000

export interface SimulateSettings extends ProgramSettings {
  seed: number
  runs: number
  blocks: number
  blooms: Crowd | null
}

const BLOOMS = { none: true, usual: true, full: true } as const satisfies Record<Crowd, true>

export const checkSimulate: Check<SimulateSettings> = () => {
  const text = { type: 'string' } as const
  const options = { seed: text, blocks: text, runs: text, blooms: text }
  let values: { seed?: string; blocks?: string; runs?: string; blooms?: string }
  try {
    values = parseArgs({ args: process.argv.slice(2), options }).values
  } catch (error) {
    return {
      problems: [
        `simulate: ${(error as Error).message}`,
        'simulate: the options are --seed S, --blocks N, --runs K and --blooms B',
      ],
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
  const blooms = Object.keys(BLOOMS).find((name): name is Crowd => name === values.blooms) ?? null
  if (values.blooms !== undefined && blooms === null) problems.push('simulate: --blooms must be usual, full or none')
  if (problems.length > 0) return { problems }
  return { settings: { ...numbers, blooms, logLevel: 'warn', databaseUrl: null, warnings: [] } }
}
