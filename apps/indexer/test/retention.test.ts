import { setTimeout as delay } from 'node:timers/promises'
import { type Chain, openChain } from '@dexfeed/chain'
import { closeAfter, testDatabase } from '@dexfeed/test-setup'
import { dumpTables } from '@dexfeed/test-setup/table-dump'
import { expect, test } from 'vitest'
import { watchedTopics } from '../src/blocks/process-blocks.ts'
import { dropOldDays } from '../src/days/day-loops.ts'
import { quiet } from './scene/made-values.ts'
import { openStore } from './scene/open-store.ts'
import { scriptedScene } from './scene/scripted-scene.ts'

const BLOCK_TIME_S = 4 * 3_600

test('days older than the retention are dropped, are not filled in again, and are not missing for verify', async () => {
  const scene = await scriptedScene('eth', 100, { blockTimeS: BLOCK_TIME_S })
  const databaseUrl = await scene.indexed()
  const { database, store } = await openStore(databaseUrl)
  const before = await dumpTables(databaseUrl)

  const options = { retentionDays: 8 }
  const first = await scene.index(databaseUrl, options)
  while ((await store.keptSince()) === null) await delay(20)
  scene.chain.mine(2)
  await first.caughtUp(scene.head())
  await first.stop()
  const since = (await store.keptSince()) ?? 0
  const row = await store.networkRow()
  expect(row?.start?.timestamp).toBeGreaterThanOrEqual(since)
  const chain = openChain({
    network: 'eth',
    urls: [scene.rpcUrl],
    topics: watchedTopics(scene.deployment),
    pollMs: 50,
    log: quiet,
  })
  closeAfter(() => chain.close())
  await dropOldDays({ chain, store, retentionDays: 8, log: quiet })
  const { rows } = await database.pool.query<{ oldest: number; days: number }>(
    `SELECT extract(epoch FROM min(block_time))::int AS oldest, count(DISTINCT block_time::date)::int AS days FROM swap`,
  )
  expect(rows[0]?.oldest).toBeGreaterThanOrEqual(since)
  expect(rows[0]?.days).toBeGreaterThanOrEqual(8)
  const after = await dumpTables(databaseUrl)
  expect(after.day_total).toEqual(expect.arrayContaining(before.day_total?.slice(0, -1) ?? []))
  expect(after.day_address_count).toEqual(expect.arrayContaining(before.day_address_count?.slice(0, -1) ?? []))
  expect(await store.coveredRanges()).toMatchObject([{ from: 0, to: scene.head().number }])
  expect(await scene.verify(databaseUrl)).toMatchObject({ isRight: true })
  // The same holds if blocks of old days are named.
  expect(await scene.verify(databaseUrl, { from: 10, repair: true })).toMatchObject({ isRight: true })
  expect((await dumpTables(databaseUrl)).swap).toEqual(after.swap)

  // With a start before the kept days, nothing is filled in, and the start stays.
  const second = await scene.index(databaseUrl, { ...options, startBlock: 0 })
  await second.caughtUp(scene.head())
  await second.stop()
  expect((await store.networkRow())?.start?.number).toBe(row?.start?.number)
  expect((await dumpTables(databaseUrl)).swap).toEqual(after.swap)
})

test('a new database with a start before the kept days starts with the first kept block', async () => {
  const scene = await scriptedScene('eth', 100, { blockTimeS: BLOCK_TIME_S })
  const databaseUrl = await testDatabase()
  const running = await scene.index(databaseUrl, { retentionDays: 9, startBlock: 0 })
  await running.caughtUp(scene.head())
  await running.stop()
  const { covered_range: ranges } = await dumpTables(databaseUrl)
  expect(ranges).toHaveLength(1)
  expect(ranges?.[0]).not.toMatch(/^\(1,0,/)
  expect(await scene.verify(databaseUrl)).toMatchObject({ isRight: true })
})

//   0 - .. - 90 - 91 - .. - 100     for one check, or permanently, the only node returns no blocks below 91
test('blocks missing in one check do not move the start, nor further than another check allows', async () => {
  const scene = await scriptedScene('eth', 100, { blockTimeS: BLOCK_TIME_S })
  const { store } = await openStore(await scene.indexed())
  const topics = watchedTopics(scene.deployment)
  const real = openChain({ network: 'eth', urls: [scene.rpcUrl], topics, pollMs: 50, log: quiet })
  closeAfter(() => real.close())
  const keepingFrom = (first: number) => ({
    head: () => real.head(),
    header: async (number: number) => (number < first ? null : real.header(number)),
  })
  const start = async () => (await store.networkRow())?.start?.number
  const options = { store, retentionDays: 9, log: quiet }
  const doubted = await dropOldDays({ ...options, chain: keepingFrom(91) })
  expect(doubted?.number).toBe(91)
  expect(await start()).toBe(0)
  expect(await store.keptSince()).toBeLessThanOrEqual(scene.chain.blocks[0]?.timestamp ?? 0)
  // The next check allows less.
  expect(await dropOldDays({ ...options, chain: keepingFrom(50) }, doubted)).toMatchObject({ number: 50 })
  expect(await start()).toBe(50)
  expect(await dropOldDays({ ...options, chain: real })).toBeNull()
  expect(await start()).toBe(50)
})

//   0 - .. - 60 - .. - 100 - 105     starts with 0; later the nodes keep the blocks from 60 on
test('nodes that no longer keep an accepted start hold up nothing', async () => {
  const scene = await scriptedScene('eth', 100)
  const databaseUrl = await scene.indexed()
  scene.chain.mine(5)
  const wrap = (chain: Chain): Chain => ({
    ...chain,
    header: async (number, options) => (number < 60 && options?.anyEndpoint ? null : chain.header(number, options)),
  })
  const fresh = await scene.index(await testDatabase(), { startBlock: 0, wrap })
  await fresh.warns(/START_BLOCK 0 is not kept by the nodes: they begin with block 60/)
  await fresh.stop()
  const second = await scene.index(databaseUrl, { startBlock: 0, wrap })
  await second.caughtUp(scene.head())
  await second.stop()
  expect(await dumpTables(databaseUrl)).toEqual(await scene.cleanIndex())
})
