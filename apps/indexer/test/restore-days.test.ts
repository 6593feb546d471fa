import { setTimeout as delay } from 'node:timers/promises'
import { openChain } from '@dexfeed/chain'
import { DAY_S, dayOf, missingRanges } from '@dexfeed/dex'
import { type IndexerStore, openLakeStore } from '@dexfeed/store'
import { closeAfter } from '@dexfeed/test-setup'
import { dumpTables } from '@dexfeed/test-setup/table-dump'
import { expect, test } from 'vitest'
import { watchedTopics } from '../src/blocks/process-blocks.ts'
import { dropOldDays } from '../src/days/day-loops.ts'
import { type RestorableNetwork, restoreDays } from '../src/days/restore-days.ts'
import { quiet } from './scene/made-values.ts'
import { openStore } from './scene/open-store.ts'
import { scriptedScene } from './scene/scripted-scene.ts'

const BLOCK_TIME_S = 4 * 3_600
const COUNTERS = ['day_total', 'day_address_count', 'day_trader', 'hour_volume']
const ROWS = ['swap', 'swap_hop', 'pool_candle', 'token_volume', 'token_flow', 'token_move', 'liquidity_event']

test('all days that were dropped are filled in again, and the database is as before', async () => {
  const scene = await scriptedScene('eth', 100, { blockTimeS: BLOCK_TIME_S })
  const databaseUrl = await scene.indexed()
  const { store } = await openStore(databaseUrl)
  const first = await scene.index(databaseUrl, { retentionDays: 8 })
  while ((await store.keptSince()) === null) await delay(20)
  scene.mine(2)
  await first.caughtUp(scene.head())
  await first.stop()
  const since = (await store.keptSince()) ?? 0
  expect(since).toBeGreaterThan((scene.chain.blocks[0]?.timestamp ?? 0) + 5 * DAY_S)

  const second = await scene.index(databaseUrl, { retentionDays: null, restoreSince: 0 })
  while (((await store.keptSince()) ?? 0) >= since) await delay(20)
  await second.caughtUp(scene.head())
  await second.stop()
  expect(await dumpTables(databaseUrl)).toEqual(await scene.cleanIndex())
  expect(await scene.verify(databaseUrl)).toMatchObject({ isRight: true })
}, 120_000)

/** A database without the days before the last nine, and a way to restore those since `day`. */
async function dropped() {
  const scene = await scriptedScene('eth', 100, { blockTimeS: BLOCK_TIME_S })
  const databaseUrl = await scene.indexed()
  const { database, store } = await openStore(databaseUrl)
  const topics = watchedTopics(scene.deployment)
  const chain = openChain({ network: 'eth', urls: [scene.rpcUrl], topics, pollMs: 50, log: quiet })
  closeAfter(() => chain.close())
  await dropOldDays({ chain, store, retentionDays: 8, log: quiet })
  const since = dayOf((await store.keptSince()) ?? 0)
  const restore = async (
    day: number,
    over: Partial<RestorableNetwork['chain']> = {},
    restoreSince: number | null = 0,
  ) => {
    const restorable = [{ network: 'eth', chain: { ...chain, ...over }, store: seenIn2100(store) } as const]
    await restoreDays({ store, restorable, retentionDays: IN_2100 - day, restoreSince, log: quiet })
    return [dayOf((await store.keptSince()) ?? 0), (await store.networkRow())?.start?.number]
  }
  return { scene, databaseUrl, database, store, chain, since, restore }
}

const IN_2100 = dayOf(Date.UTC(2100, 0, 1) / 1_000)

/** Age counts from the later of head and clock: this head is later than the clock of any test. */
function seenIn2100(store: IndexerStore): RestorableNetwork['store'] {
  const networkRow = async () => {
    const row = await store.networkRow()
    return row && { ...row, head: row.head && { ...row.head, timestamp: IN_2100 * DAY_S } }
  }
  return { ...store, networkRow }
}

//   days   0 .. 4 5 6 7 | 8 .. 16      kept since 8, then since 5
test('days since RESTORE_SINCE that RETENTION_DAYS keeps are restored, whole', async () => {
  const { scene, databaseUrl, database, store, since, restore } = await dropped()
  const numberAt = (time: number) => scene.chain.blocks.find(({ timestamp }) => timestamp >= time)?.number ?? 0
  expect(await restore(since)).toEqual([since, numberAt(since * DAY_S)])
  const first = numberAt((since - 3) * DAY_S)
  expect(await restore(since - 3, {}, null)).toEqual([since, numberAt(since * DAY_S)])
  expect(await restore(since - 1, {}, since - 3)).toEqual([since - 1, numberAt((since - 1) * DAY_S)])
  expect(await restore(since - 4, {}, since - 3)).toEqual([since - 3, first])
  // Twice is as good as once.
  expect(await restore(since - 3)).toEqual([since - 3, first])
  const head = scene.head()
  const running = await scene.index(databaseUrl, {
    startBlock: first,
    retentionDays: dayOf(head.timestamp) - since + 3,
  })
  await running.caughtUp(head)
  await running.stop()
  const covered = await store.coveredRanges()
  expect(missingRanges({ from: first - 1, to: head.number }, covered)).toEqual([])
  const [found, clean] = [await dumpTables(databaseUrl), await scene.cleanIndex()]
  const ofKept = (lines: readonly string[] = []) => {
    const days = Array.from({ length: 20 }, (_, n) =>
      new Date((since - 3 + n) * DAY_S * 1_000).toISOString().slice(0, 10),
    )
    return lines.filter((line) => days.some((day) => line.includes(day)))
  }
  for (const table of ROWS) {
    expect(found[table]).toEqual(ofKept(clean[table]))
    expect(found[table]?.length).toBeGreaterThan(0)
  }
  for (const table of COUNTERS) expect(ofKept(found[table])).toEqual(ofKept(clean[table]))
  // Each of them can be written to the lake.
  const due = await openLakeStore(database).dueDays('eth')
  expect(due.slice(0, 3)).toEqual([since - 3, since - 2, since - 1])
  expect(await scene.verify(databaseUrl)).toMatchObject({ isRight: true })
}, 120_000)

test('days that the nodes do not keep, or not whole, stay dropped', async () => {
  const { scene, chain, since, restore } = await dropped()
  const before = await restore(since)
  const numberAt = (time: number) => scene.chain.blocks.find(({ timestamp }) => timestamp >= time)?.number ?? 0
  const keepingFrom = (first: number) => ({
    header: async (number: number) => (number < first ? null : chain.header(number)),
  })
  const missing = keepingFrom(numberAt(since * DAY_S))
  await expect(restore(since - 3, missing)).rejects.toThrow('the nodes of eth keep no blocks before')
  const readRange = () => Promise.reject(new Error('history has been pruned'))
  await expect(restore(since - 3, { readRange })).rejects.toThrow('pruned')
  // One block of the day before the last is missing.
  const partly = keepingFrom(numberAt((since - 2) * DAY_S) + 1)
  await expect(restore(since - 2, partly)).rejects.toThrow('set RESTORE_SINCE to a later day')
  expect(await restore(since)).toEqual(before)
  expect(await restore(since - 1, partly)).toEqual([since - 1, numberAt((since - 1) * DAY_S)])
}, 120_000)
