import { MINUTE } from '@dexfeed/dex'
import { testDatabase } from '@dexfeed/test-setup'
import { expect, test } from 'vitest'
import { type Fault, NOTICED_IMMEDIATELY } from '../index.ts'
import { assignFaults } from './assign-faults.ts'
import { simulate } from './simulate.ts'

/** With this seed one node serves the receipts of whole blocks and one does not, and an indexer is restarted. */
const SEED = 67
/** Ninety blocks exist before the indexers start; thirty are mined while they run. */
const BLOCKS = 120
/** One of each kind: a lost response, a lie about logs, a lie that a proof reveals, another branch, a lost socket. */
const FAULTS_MET: readonly Fault[] = [
  'disconnect',
  'logs-removed',
  'block-receipts-log-missing',
  'other-fork',
  'socket-closes',
]
/** None of these faults delays a response, so long timeouts cost no time, and a busy machine stays within them. */
const PATIENCE = 10
/** Ends a run that hangs, with an error that shows how far it was. A run takes half a minute on a busy machine. */
const LIMIT_MS = 5 * MINUTE

// Seeds 1 to 3 cover all assignments of proofs. With seed 2003 one fault once had no network.
test.each([1, 2, 3, 2003])('each fault comes first at a network of seed %i', (seed) => {
  const faults = assignFaults(seed, NOTICED_IMMEDIATELY).flatMap(({ first }) => first)
  expect(faults.sort()).toEqual([...NOTICED_IMMEDIATELY].sort())
})

test('a network on hostile nodes ends with the rows of its chain', { timeout: LIMIT_MS + MINUTE }, async () => {
  const result = await simulate({
    databaseUrl: await testDatabase(),
    seed: SEED,
    blocks: BLOCKS,
    networks: ['bsc'],
    faults: FAULTS_MET,
    patience: PATIENCE,
    signal: AbortSignal.timeout(LIMIT_MS),
  })
  expect(Object.keys(result.faults).sort()).toEqual([...FAULTS_MET].sort())
  expect(Object.keys(result.portalFaults).length).toBeGreaterThan(0)
  for (const what of ['reorgs', 'rollbacks', 'restarts', 'reads', 'commits'] as const) {
    expect(result[what], what).toBeGreaterThan(0)
  }
})
