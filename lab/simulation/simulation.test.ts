import { type Fault, NOTICED_IMMEDIATELY } from '@dexfeed/fake-node'
import { testDatabase } from '@dexfeed/test-setup'
import { expect, test } from 'vitest'
import { assignFaults } from './assign-faults.ts'
import { simulate } from './simulate.ts'

/** Within the blocks, both networks of this seed are rolled back and an indexer of each is restarted. */
const SEED = 65
/** 30 of them come while they are indexed. */
const BLOCKS = 120
/** One of each kind: of an exchange, a lie about logs, a lie that a proof shows, another branch, of the socket. */
const FAULTS_MET: readonly Fault[] = [
  'disconnect',
  'logs-removed',
  'block-receipts-log-missing',
  'other-fork',
  'socket-closes',
]
/** None of these faults is a silence. So indexers need not give up on a busy machine. */
const PATIENCE = 10

// In all assignments of proofs. With seed 2003 one fault once had no network.
test.each([1, 2, 3, 2003])('each fault comes first at a network of seed %i', (seed) => {
  const faults = assignFaults(seed, NOTICED_IMMEDIATELY).flatMap(({ first }) => first)
  expect(faults.sort()).toEqual([...NOTICED_IMMEDIATELY].sort())
})

test('two networks on hostile nodes end with the rows of their chains', async () => {
  const result = await simulate({
    databaseUrl: await testDatabase(),
    seed: SEED,
    blocks: BLOCKS,
    networks: ['eth', 'bsc'],
    faults: FAULTS_MET,
    patience: PATIENCE,
    signal: new AbortController().signal,
  })
  expect(Object.keys(result.faults).sort()).toEqual([...FAULTS_MET].sort())
  expect(Object.keys(result.portalFaults).length).toBeGreaterThan(0)
  for (const what of ['reorgs', 'restarts', 'reads', 'commits'] as const) expect(result[what]).toBeGreaterThan(0)
  expect(result.rollbacks).toBeGreaterThanOrEqual(2)
})
