import { setTimeout as delay } from 'node:timers/promises'
import type { Fault } from '@dexfeed/devnet'
import { type IndexerStore, openDatabase, openIndexerStore } from '@dexfeed/store'
import { closeAfter, testDatabase } from '@dexfeed/test-setup'
import { expect, test } from 'vitest'
import { runIndexer } from './scene/run-indexer.ts'
import { type ScriptedWorldOptions, scriptedWorld } from './scene/scripted-world.ts'

const NETWORK = 'eth'
const FINALITY_DEPTH = 24

/** A chain of 100 blocks, and an indexer that reads a node of it under a schedule of faults. */
async function openScene(schedule: NonNullable<ScriptedWorldOptions['schedule']>) {
  const options = { network: NETWORK, seed: 1, blocks: 100, finalityDepth: FINALITY_DEPTH, schedule } as const
  const world = await scriptedWorld(options)
  const databaseUrl = await testDatabase()
  const database = await openDatabase(databaseUrl, { applicationName: 'test-watch' })
  closeAfter(() => database.close())
  const { deployment } = world.chain.market
  const start = () => runIndexer({ databaseUrl, network: NETWORK, rpcUrl: world.rpcUrl, deployment })
  return { world, store: openIndexerStore(database, NETWORK), start }
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
  const { world, store, start } = await openScene({ at: () => fault })
  world.reorg(60, 62)
  const indexer = await start()
  await indexer.caughtUp(world.head())
  fault = 'other-fork'
  expect(await trouble(store)).toMatch(/below block 78 that was taken as final; asking again/)
  fault = null
  world.mine(3)
  await indexer.caughtUp(world.head())
})

//  0 - .. - 78 - .. - 102     .. - 5102     the node's head for a moment, while it names no final block
test('a head that a node makes up lifts the final block above nothing that was read, and is forgotten', async () => {
  let isAhead = false
  const isLatest = (subjects: readonly string[]) => subjects.includes('latest') && !subjects.includes('finalized')
  const { world, store, start } = await openScene({
    at: (_, subjects) => (isAhead && isLatest(subjects) ? 'head-ahead' : 'finalized-unknown'),
  })
  const finalNumber = async () => (await store.networkRow())?.finalNumber
  const indexer = await start()
  await indexer.caughtUp(world.head())
  isAhead = true
  world.mine(2)
  await trouble(store)
  expect(await finalNumber()).toBeLessThanOrEqual(world.head().number - FINALITY_DEPTH)
  isAhead = false
  world.mine(3)
  await indexer.caughtUp(world.head())
  expect(await finalNumber()).toBe(world.head().number - FINALITY_DEPTH)
  // As deep as may be: nothing above was taken for final.
  world.reorg(FINALITY_DEPTH - 1, FINALITY_DEPTH + 1)
  await indexer.caughtUp(world.head())
})
