import { setTimeout as delay } from 'node:timers/promises'
import { createRandom, type Fault, scriptedChain, scriptedMarket, startHostileNode } from '@dexfeed/devnet'
import { openDatabase, openIndexerStore } from '@dexfeed/store'
import { closeAfter, testDatabase } from '@dexfeed/test-setup'
import { expect, test } from 'vitest'
import { runIndexer } from './scene/run-indexer.ts'

const FINALITY_DEPTH = 24

//  .. - 40 - 41 - .. - 78 - .. - 102    indexed, final up to 78
//         \
//          41'- .. - 100'               what the node shows for a moment
test('a node that shows a fork below the final block for a moment does not stop the network', async () => {
  const market = scriptedMarket('eth', FINALITY_DEPTH)
  const chain = scriptedChain({ market, chainId: 1, seed: 1, startTime: 1_700_000_000, blockTimeS: 12 })
  chain.mine(100)
  chain.reorg(60, 62)
  let fault: Fault | null = null
  const schedule = { at: () => fault }
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

  fault = 'other-fork'
  const database = await openDatabase(databaseUrl, { applicationName: 'test-watch' })
  closeAfter(() => database.close())
  const store = openIndexerStore(database, 'eth')
  let reason: string | null = null
  while (reason === null) {
    await delay(20)
    reason = (await store.networkRow())?.degraded ?? null
  }
  expect(reason).toMatch(/below block 78 that was taken as final; asking again/)

  fault = null
  chain.mine(3)
  await indexer.caughtUp(head())
})
