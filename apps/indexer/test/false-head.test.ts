import { setTimeout as delay } from 'node:timers/promises'
import { createRandom, type Fault, scriptedChain, scriptedMarket, startHostileNode } from '@dexfeed/devnet'
import { openDatabase, openIndexerStore } from '@dexfeed/store'
import { closeAfter, testDatabase } from '@dexfeed/test-setup'
import { expect, test } from 'vitest'
import { runIndexer } from './scene/run-indexer.ts'

const FINALITY_DEPTH = 24

//  0 - .. - 76 - .. - 100     .. - 5100     the node's head for a moment, while it names no final block
test('a head that a node makes up lifts the final block above nothing that was read, and is forgotten', async () => {
  const market = scriptedMarket('eth', FINALITY_DEPTH)
  const chain = scriptedChain({ market, chainId: 1, seed: 3, startTime: 1_700_000_000, blockTimeS: 12 })
  chain.mine(100)
  let isAhead = false
  const schedule = {
    at: (_: number, subjects: readonly string[]): Fault | null =>
      isAhead && subjects.includes('latest') && !subjects.includes('finalized') ? 'head-ahead' : 'finalized-unknown',
  }
  const random = createRandom(1)
  const options = { chain, wrongChain: chain, schedule, endpoint: 0, random, finalityDepth: FINALITY_DEPTH }
  const node = await startHostileNode(options)
  closeAfter(() => node.stop())
  const databaseUrl = await testDatabase()
  const { deployment } = market
  const indexer = await runIndexer({ databaseUrl, network: 'eth', rpcUrl: node.url, deployment })
  const head = () => {
    const block = chain.blocks.at(-1)
    if (block === undefined) throw new Error('no head')
    return block
  }
  await indexer.caughtUp(head())
  const database = await openDatabase(databaseUrl, { applicationName: 'test-watch' })
  closeAfter(() => database.close())
  const store = openIndexerStore(database, 'eth')

  isAhead = true
  chain.mine(2)
  while ((await store.networkRow())?.degraded == null) await delay(20)
  expect((await store.networkRow())?.finalNumber).toBeLessThanOrEqual(head().number - FINALITY_DEPTH)

  isAhead = false
  chain.mine(3)
  await indexer.caughtUp(head())
  expect((await store.networkRow())?.finalNumber).toBe(head().number - FINALITY_DEPTH)
  // As deep as may be: nothing above was taken for final.
  chain.reorg(FINALITY_DEPTH - 1, FINALITY_DEPTH + 1)
  await indexer.caughtUp(head())
})
