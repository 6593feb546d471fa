import { queryOnce, testDatabase } from '@dexfeed/test-setup'
import { dumpTables } from '@dexfeed/test-setup/table-dump'
import { expect, inject, test } from 'vitest'
import { scriptedScene } from '../scene/scripted-scene.ts'

//   .. 38 - 39 - 40 - 41                     40 creates a pool
//        \
//         39' - 40' - 41' - 42' - 43' - 44'  taken up to 39', which has no such pool; 41' creates it
test('a pool is removed with the block that created it, and comes again with another block', async () => {
  const scene = await scriptedScene('bsc', 41, { seed: inject('seed') })
  const databaseUrl = await testDatabase()
  const born = scene.chain.market.pools.find(({ bornAt }) => bornAt === 40) ?? expect.fail()
  const indexer = await scene.index(databaseUrl)
  const stored = async (table: string, column: string) => {
    const query = `SELECT encode(${column}, 'hex') AS pool FROM ${table} ORDER BY 1`
    const rows = await queryOnce<{ pool: string }>(databaseUrl, query)
    return rows.map(({ pool }) => `0x${pool}`)
  }
  await indexer.caughtUp(scene.head())
  expect(await stored('pool', 'address')).toContain(born.address)
  expect(await stored('pool_creation', 'pool')).toEqual(await stored('pool', 'address'))

  scene.reorg(3, 1)
  await indexer.caughtUp(scene.head())
  expect(await stored('pool', 'address')).not.toContain(born.address)
  expect(await stored('pool_creation', 'pool')).toEqual(await stored('pool', 'address'))
  // The follower does not try to read its state, either.
  await expect.poll(() => stored('unread_pool', 'pool'), { timeout: 60_000 }).toEqual([])

  scene.mine(5)
  await indexer.caughtUp(scene.head())
  await indexer.stop()
  expect(await dumpTables(databaseUrl)).toEqual(await scene.cleanIndex())
  expect(await stored('pool', 'address')).toContain(born.address)
})
