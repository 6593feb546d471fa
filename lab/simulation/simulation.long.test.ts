import { MINUTE } from '@dexfeed/dex'
import { testDatabase } from '@dexfeed/test-setup'
import { expect, inject, test } from 'vitest'
import { NOTICED_IMMEDIATELY } from '../index.ts'
import { simulate } from './simulate.ts'

const BLOCKS = 220
/** Ends a run that hangs. A run takes two minutes alone, up to ten beside other tests. */
const LIMIT_MS = 14 * MINUTE

test(
  'three networks meet every fault of their nodes and end with the rows of their chains',
  async () => {
    // Unlike the test's own timeout, this signal makes the error show how far the run was.
    const signal = AbortSignal.timeout(LIMIT_MS)
    const result = await simulate({ databaseUrl: await testDatabase(), seed: inject('seed'), blocks: BLOCKS, signal })
    // A run continues until requests have met every fault.
    expect(Object.keys(result.faults).sort()).toEqual([...NOTICED_IMMEDIATELY].sort())
    expect(Object.keys(result.portalFaults).length).toBeGreaterThan(0)
    for (const what of ['reorgs', 'rollbacks', 'restarts', 'kills', 'reads'] as const) {
      expect(result[what], what).toBeGreaterThan(0)
    }
  },
  LIMIT_MS + MINUTE,
)
