import { testDatabase } from '@dexfeed/test-setup'
import { expect, test } from 'vitest'
import { runIndexer } from './scene/run-indexer.ts'
import { scriptedWorld } from './scene/scripted-world.ts'
import { dumpTables } from './scene/table-dump.ts'

//  blocks   0 - .. - 30 - .. - 40 - .. - 100 - .. - 130 - .. - 160
//  first    follows ------------------------------------|
//  second   |----- waits, while pools and tokens appear -|-follows
test('an indexer that waited for its turn knows the pools and tokens that were found meanwhile', async () => {
  const world = await scriptedWorld({ network: 'eth', seed: 7, blocks: 30 })
  const { rpcUrl, chain } = world
  const { deployment } = chain.market
  const onChain = { network: 'eth', rpcUrl, deployment } as const
  const databaseUrl = await testDatabase()
  const first = await runIndexer({ databaseUrl, ...onChain })
  await first.caughtUp(world.head())
  const second = await runIndexer({ databaseUrl, ...onChain, role: 'follow' })
  await second.warns(/waiting to be the only writer/)
  world.mine(100)
  await first.caughtUp(world.head())
  await first.stop()
  world.mine(30)
  await second.caughtUp(world.head())
  await second.stop()

  const plainUrl = await testDatabase()
  const plain = await runIndexer({ databaseUrl: plainUrl, ...onChain })
  await plain.caughtUp(world.head())
  await plain.stop()
  expect(await dumpTables(databaseUrl)).toEqual(await dumpTables(plainUrl))
})
