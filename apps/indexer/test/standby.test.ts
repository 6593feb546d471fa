import { openReader } from '@dexfeed/store'
import { testDatabase } from '@dexfeed/test-setup'
import { dumpTables } from '@dexfeed/test-setup/table-dump'
import { expect, test } from 'vitest'
import { plainTables } from './scene/indexed-database.ts'
import { openStore } from './scene/open-store.ts'
import { runIndexer } from './scene/run-indexer.ts'
import { scriptedWorld } from './scene/scripted-world.ts'

//   blocks   0 - .. - 30 - .. - 40 - .. - 50 - .. - 70 - .. - 80
//   first    follows ----------------------------------|
//   second   |---- waits, while pools and tokens appear -|-follows
test('an indexer that waited for its turn loads the pools and tokens found meanwhile', async () => {
  const world = await scriptedWorld({ network: 'eth', seed: 7, blocks: 30 })
  const { rpcUrl, chain } = world
  const { deployment } = chain.market
  const onChain = { network: 'eth', rpcUrl, deployment } as const
  const databaseUrl = await testDatabase()
  const first = await runIndexer({ databaseUrl, ...onChain })
  await first.caughtUp(world.head())
  const second = await runIndexer({ databaseUrl, ...onChain, role: 'follow' })
  await second.warns(/waiting to be the only writer/)
  world.mine(40)
  await first.caughtUp(world.head())
  await first.stop()
  world.mine(10)
  await second.caughtUp(world.head())
  await second.stop()

  expect(await dumpTables(databaseUrl)).toEqual(await plainTables(onChain, world.head()))
})

//   follower  reads proven blocks
//   worker    reads unproven history
test('a worker of another process reports that it reads unproven blocks, and headers with unknown fields', async () => {
  const world = await scriptedWorld({ network: 'eth', seed: 7, blocks: 40 })
  const onChain = { network: 'eth', rpcUrl: world.rpcUrl, deployment: world.chain.market.deployment } as const
  const databaseUrl = await testDatabase()
  const { database, store } = await openStore(databaseUrl)
  const options = { databaseUrl, ...onChain }
  const follower = await runIndexer({
    ...options,
    role: 'follow',
    wrap: (chain) => ({ ...chain, readsUnproven: () => false }),
  })
  await follower.follows(world.head())
  expect((await store.networkRow())?.unprovenSince).toBeNull()
  const alert = { from: 12, fields: ['laterRoot'] }
  const worker = await runIndexer({
    ...options,
    role: 'backfill',
    wrap: (chain) => ({ ...chain, headerAlert: () => alert }),
  })
  await follower.caughtUp(world.head())
  await expect.poll(async () => (await store.networkRow())?.unprovenSince).toBeTypeOf('number')
  const unknownHeaders = async () => (await openReader(database).networks())[0]?.unknownHeaders
  await expect.poll(unknownHeaders).toMatchObject(alert)
  await worker.stop()
  await follower.stop()
})
