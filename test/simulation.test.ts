import { testDatabase } from '@dexfeed/test-setup'
import { expect, test } from 'vitest'
import { simulate } from './simulation/simulate.ts'

const SEED = Number(process.env.SIMULATION_SEED ?? 1)
const BLOCKS = Number(process.env.SIMULATION_BLOCKS ?? 220)

test('three networks on hostile nodes end with the rows of their chains', async () => {
  const result = await simulate({ databaseUrl: await testDatabase(), seed: SEED, blocks: BLOCKS })
  if (process.env.SIMULATION_SEED) console.log(JSON.stringify(result))
  expect(result.reorgs).toBeGreaterThan(0)
  expect(Object.keys(result.faults).length).toBeGreaterThan(5)
}, 240_000)
