import { parseArgs } from 'node:util'
import type { Check, ProgramSettings } from '@dexfeed/service'
import type { Crowd } from '../index.ts'
import { choice, readAll, whole } from '../options.ts'

const MAX = 999_999_999

export interface SimulateSettings extends ProgramSettings {
  seed: number
  runs: number
  blocks: number
  blooms: Crowd | null
}

export const checkSimulate: Check<SimulateSettings> = () => {
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
