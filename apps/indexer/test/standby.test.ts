import { openReader } from '@dexfeed/store'
import { testDatabase } from '@dexfeed/test-setup'
import { dumpTables } from '@dexfeed/test-setup/table-dump'
import { expect, test } from 'vitest'
import { openStore } from './scene/open-store.ts'
import { scriptedScene } from './scene/scripted-scene.ts'

//   blocks   0 - .. - 30 - .. - 40 - .. - 50 - .. - 70 - .. - 80
//   first    follows ----------------------------------|
//   second   |---- waits, while pools and tokens appear -|-follows
test('an indexer that waited for its turn loads the pools and tokens found meanwhile', async () => {
  const scene = await scriptedScene('eth', 30, { seed: 7 })
  const databaseUrl = await testDatabase()
  const first = await scene.index(databaseUrl)
  await first.caughtUp(scene.head())
  const second = await scene.index(databaseUrl, { role: 'follow' })
  await second.warns(/waiting to be the only writer/)
  scene.mine(40)
  await first.caughtUp(scene.head())
  await first.stop()
  scene.mine(10)
  await second.caughtUp(scene.head())
  await second.stop()

  expect(await dumpTables(databaseUrl)).toEqual(await scene.cleanIndex())
})

//   follower  reads proven blocks
//   worker    reads unproven history
test('a worker of another process reports that it reads unproven blocks, and headers with unknown fields', async () => {
  const scene = await scriptedScene('eth', 40)
  const databaseUrl = await testDatabase()
  const { database, store } = await openStore(databaseUrl)
  const follower = await scene.index(databaseUrl, {
    role: 'follow',
    wrap: (chain) => ({ ...chain, readsUnproven: () => false }),
  })
  await follower.follows(scene.head())
  expect((await store.networkRow())?.unprovenSince).toBeNull()
  const alert = { from: 12, fields: ['laterRoot'] }
  const worker = await scene.index(databaseUrl, {
    role: 'backfill',
    wrap: (chain) => ({ ...chain, headerAlert: () => alert }),
  })
  await follower.caughtUp(scene.head())
  await expect.poll(async () => (await store.networkRow())?.unprovenSince).toBeTypeOf('number')
  const unknownHeaders = async () => (await openReader(database).networks())[0]?.unknownHeaders
  await expect.poll(unknownHeaders).toMatchObject(alert)
  await worker.stop()
  await follower.stop()
})
