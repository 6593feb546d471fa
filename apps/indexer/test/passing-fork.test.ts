import { setTimeout as delay } from 'node:timers/promises'
import {
  createRandom,
  type Fault,
  type ScriptedChain,
  scriptedChain,
  scriptedMarket,
  startHostileNode,
} from '@dexfeed/devnet'
import { type IndexerStore, openDatabase, openIndexerStore } from '@dexfeed/store'
import { closeAfter, testDatabase } from '@dexfeed/test-setup'
import { expect, test } from 'vitest'
import { runIndexer } from './scene/run-indexer.ts'

const FINALITY_DEPTH = 24

/** A chain of 100 blocks, and an indexer that reads a node of it under a schedule of faults. */
async function openScene(schedule: Parameters<typeof startHostileNode>[0]['schedule']) {
  const market = scriptedMarket('eth', FINALITY_DEPTH)
  const chain = scriptedChain({ market, chainId: 1, seed: 1, startTime: 1_700_000_000, blockTimeS: 12 })
  chain.mine(100)
  const random = createRandom(1)
  const options = { chain, wrongChain: chain, schedule, endpoint: 0, random, finalityDepth: FINALITY_DEPTH }
  const node = await startHostileNode(options)
  closeAfter(() => node.stop())
  const databaseUrl = await testDatabase()
  const database = await openDatabase(databaseUrl, { applicationName: 'test-watch' })
  closeAfter(() => database.close())
  const store = openIndexerStore(database, 'eth')
  const start = () => runIndexer({ databaseUrl, network: 'eth', rpcUrl: node.url, deployment: market.deployment })
  return { chain, store, start }
}

function headOf({ blocks }: ScriptedChain) {
  const block = blocks.at(-1)
  if (block === undefined) throw new Error('no head')
  return block
}

/** Why the network stands still, once it does. */
async function trouble(store: Pick<IndexerStore, 'networkRow'>): Promise<string> {
  for (;;) {
    const reason = (await store.networkRow())?.degraded ?? null
    if (reason !== null) return reason
    await delay(20)
  }
}

//  .. - 40 - 41 - .. - 78 - .. - 102    indexed, final up to 78
//         \
//          41'- .. - 100'               what the node shows for a moment
test('a node that shows a fork below the final block for a moment does not stop the network', async () => {
  let fault: Fault | null = null
  const { chain, store, start } = await openScene({ at: () => fault })
  chain.reorg(60, 62)
  const indexer = await start()
  await indexer.caughtUp(headOf(chain))
  fault = 'other-fork'
  expect(await trouble(store)).toMatch(/below block 78 that was taken as final; asking again/)
  fault = null
  chain.mine(3)
  await indexer.caughtUp(headOf(chain))
})

//  0 - .. - 78 - .. - 102     .. - 5102     the node's head for a moment, while it names no final block
test('a head that a node makes up lifts the final block above nothing that was read, and is forgotten', async () => {
  let isAhead = false
  const isLatest = (subjects: readonly string[]) => subjects.includes('latest') && !subjects.includes('finalized')
  const { chain, store, start } = await openScene({
    at: (_, subjects) => (isAhead && isLatest(subjects) ? 'head-ahead' : 'finalized-unknown'),
  })
  const finalNumber = async () => (await store.networkRow())?.finalNumber
  const indexer = await start()
  await indexer.caughtUp(headOf(chain))
  isAhead = true
  chain.mine(2)
  await trouble(store)
  expect(await finalNumber()).toBeLessThanOrEqual(headOf(chain).number - FINALITY_DEPTH)
  isAhead = false
  chain.mine(3)
  await indexer.caughtUp(headOf(chain))
  expect(await finalNumber()).toBe(headOf(chain).number - FINALITY_DEPTH)
  // As deep as may be: nothing above was taken for final.
  chain.reorg(FINALITY_DEPTH - 1, FINALITY_DEPTH + 1)
  await indexer.caughtUp(headOf(chain))
})
