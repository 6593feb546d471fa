import { testDatabase } from '@dexfeed/test-setup'
import { expect, test } from 'vitest'
import { simulate } from './simulation/simulate.ts'

// The long run is `npm run simulate`.
const [SEED, BLOCKS] = [1, 220]

test('three networks on hostile nodes end with the rows of their chains', async () => {
  const result = await simulate({ databaseUrl: await testDatabase(), seed: SEED, blocks: BLOCKS })
  expect(result.reorgs).toBeGreaterThan(0)
  // How many kinds a run meets depends on how fast it goes; that it meets them at all does not.
  expect(Object.keys(result.faults).length).toBeGreaterThan(5)
}, 120_000)
