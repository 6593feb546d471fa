import { dayOf } from '@dexfeed/dex'
import { LeaseLost, openIndexerStore, RangeNotSettled } from '@dexfeed/store'
import { tableContents } from '@dexfeed/test-setup/table-dump'
import { describe, expect, it } from 'vitest'
import { address, filling, header, MIDNIGHT, movesOf, POOL, startWriter, TOKEN, trade, within } from './rows/sample.ts'
import { database, fill, follow, lease, rows, startOver, store, useStore } from './rows/scene.ts'

useStore('eth', 4, 20)

/** Blocks 3 to 6, around midnight. One trader trades on both days; one trade has no trader. */
const RIGHT = [
  trade(3, MIDNIGHT - 5, { trader: address(0xb1), moves: [{ token: address(7), isWhole: true }] }),
  trade(4, MIDNIGHT - 1, { trader: address(0xb2), flags: 1 }),
  trade(5, MIDNIGHT, { trader: address(0xb1), usdE8: null, source: null }),
  trade(5, MIDNIGHT, { position: 1, trader: null }),
  trade(6, MIDNIGHT + 9, { trader: address(0xb3), moves: [{ token: address(8), isWhole: false }] }),
]
const times = { fromTime: MIDNIGHT - 100, toTime: MIDNIGHT + 100 }
const replacement = (from: number, to: number) => ({
  from,
  to,
  trades: within(RIGHT, from, to),
  moves: movesOf(within(RIGHT, from, to)),
  pools: [],
  tokens: [],
  times: new Map<number, number>(),
})

async function otherNetwork() {
  const other = openIndexerStore(database, 'bsc')
  const otherLease = await startWriter(other, 'bsc')
  await other.commitHistory(filling(1, 9, [trade(4, MIDNIGHT - 1, { trader: address(0xb1) })], times))
  await otherLease.release()
}

/** Returns the contents of the tables after a commit of the correct rows. */
async function wanted() {
  await otherNetwork()
  await fill(1, 10, RIGHT, { ...times, pools: [POOL], tokens: [TOKEN] })
  const contents = await tableContents(database.pool)
  await startOver()
  return contents
}

describe('a replaced range', () => {
  it('invalidates the pools whose states the wrong rows changed, or changes nothing', async () => {
    await fill(1, 10, RIGHT, times)
    await store.replaceRange({ ...replacement(3, 6), invalidated: [address(1), address(2)] })
    await expect(store.replaceRange({ ...replacement(30, 31), invalidated: [address(3)] })).rejects.toThrow()
    expect(await store.invalidatedPools()).toEqual([1, 2].map((pool) => ({ pool: address(pool), blockNumber: 6 })))
  })

  it('has the rows, totals, traders and address counts of a range that was correct from the start', async () => {
    const right = await wanted()
    await otherNetwork()
    const wrong = [
      // Block 3 is missing, 4 has another value, 5 an additional trade, and 6 another trader.
      trade(4, MIDNIGHT - 1, { trader: address(0xb2), usdE8: 1n, moves: [{ token: address(7), isWhole: true }] }),
      trade(5, MIDNIGHT, { trader: address(0xb1) }),
      trade(5, MIDNIGHT, { position: 1, trader: null }),
      trade(5, MIDNIGHT, { position: 2, trader: address(0xb9) }),
      trade(6, MIDNIGHT + 9, { trader: address(0xb1), moves: [{ token: address(8), isWhole: true }] }),
    ]
    await fill(1, 10, wrong, { fromTime: 7, toTime: 8 })
    const ends = [
      [1, times.fromTime],
      [10, times.toTime],
    ] as const
    const repair = { ...replacement(1, 10), pools: [POOL], tokens: [TOKEN], times: new Map(ends) }
    await store.replaceRange(repair)
    expect(await tableContents(database.pool)).toEqual(right)
    await store.replaceRange(repair)
    expect(await tableContents(database.pool)).toEqual(right)
  })

  it('does not change the blocks around it', async () => {
    await fill(1, 10, RIGHT, times)
    const right = await tableContents(database.pool)
    await store.replaceRange({ ...replacement(4, 5), trades: [], moves: [] })
    expect((await tableContents(database.pool, ['swap'])).swap).toHaveLength(2)
    await store.replaceRange(replacement(4, 5))
    expect(await tableContents(database.pool)).toEqual(right)
  })

  it('deletes the values that wait for its trades, and writes those of the new trades', async () => {
    const value = { usdE8: 150_000_000n, source: 'stablecoin' as const, flags: 1 }
    const awaiting = (block: number) => trade(block, MIDNIGHT, { usdE8: null, source: null, awaited: value })
    const waiting = () => rows('SELECT block_number::int AS n FROM awaited_value')
    await fill(1, 10, [awaiting(4), awaiting(9)], times)
    await store.replaceRange({ ...replacement(3, 6), trades: [awaiting(5)] })
    expect((await waiting()).map(({ n }) => n).sort()).toEqual([5, 9])
    const other = { ...TOKEN, address: address(2) }
    expect(await store.settleAwaitedValues([TOKEN, other])).toBe(0)
    expect(await rows('SELECT DISTINCT volume_usd FROM swap')).toEqual([{ volume_usd: '1.50000000' }])
  })

  it('must be final and covered', async () => {
    await fill(1, 10, RIGHT, times)
    await fill(12, 22, [], times)
    const before = await tableContents(database.pool)
    for (const unsettled of [replacement(8, 11), replacement(10, 12), replacement(19, 21)]) {
      await expect(store.replaceRange(unsettled)).rejects.toBeInstanceOf(RangeNotSettled)
    }
    expect(await tableContents(database.pool)).toEqual(before)
  })
})

it('the counters of a day are detected as wrong and recomputed from the rows of all networks', async () => {
  await otherNetwork()
  await fill(1, 10, RIGHT, times)
  const right = await tableContents(database.pool)
  const [before, after] = [dayOf(MIDNIGHT - 1), dayOf(MIDNIGHT)]
  expect(await store.daysOf({ from: 1, to: 10 })).toEqual([before, after])
  expect(await store.daysOf({ from: 6, to: 10 })).toEqual([after])
  expect([...(await store.compareDay(before)), ...(await store.compareDay(after))]).toEqual([])
  await database.pool.query('UPDATE day_total SET swaps = swaps + 1')
  await database.pool.query('DELETE FROM day_trader')
  await database.pool.query('UPDATE day_address_count SET addresses = 17')
  await database.pool.query(`UPDATE hour_volume SET trades = trades + 1 WHERE protocol = '' AND chain_id = 1`)
  await database.pool.query('UPDATE pool_candle SET volume_usd = 0 WHERE chain_id = 1')
  await database.pool.query('DELETE FROM token_volume WHERE chain_id = 1')
  const tables = (await store.compareDay(before)).map(({ table }) => table)
  expect(tables).toEqual([
    ...['day_total', 'day_total', 'day_trader', 'day_trader', 'day_address_count', 'day_address_count'],
    ...['hour_volume', 'pool_candle', 'token_volume', 'token_volume'],
  ])
  for (const day of [before, after]) await store.recountDay(day)
  expect(await tableContents(database.pool)).toEqual(right)
})

describe('a final branch that was orphaned', () => {
  it('is rolled back as if indexing had never gone beyond a block', async () => {
    await fill(1, 4, within(RIGHT, 1, 4), { fromTime: times.fromTime, toTime: MIDNIGHT - 1, pools: [] })
    const right = await tableContents(database.pool)
    const headers = [header(5, MIDNIGHT), header(6, MIDNIGHT + 9)]
    const made = { pools: [POOL], tokens: [TOKEN] }
    const awaited = { usdE8: 1n, source: 'stablecoin' as const, flags: 0 }
    const waiting = trade(6, MIDNIGHT + 9, { position: 1, usdE8: null, source: null, awaited })
    await follow(headers, [...within(RIGHT, 5, 6), waiting], { finalNumber: 5 }, made)
    await store.setDegraded('went back', lease.epoch)
    await store.setAudited(5)
    const [manager, younger] = [`0x${'4a'.repeat(20)}`, `0x${'4b'.repeat(20)}`] as const
    const was = { searched: null, floor: null, inVainAt: null, rounds: 0 }
    await store.saveKeys({ manager, was, now: { ...was, searched: { from: 2, to: 5 } }, keys: [] })
    await store.saveKeys({ manager: younger, was, now: { ...was, searched: { from: 5, to: 6 } }, keys: [] })
    await expect(store.rollBackBelowFinal(lease.epoch - 1, header(4, MIDNIGHT - 1), [])).rejects.toBeInstanceOf(
      LeaseLost,
    )
    await store.rollBackBelowFinal(lease.epoch, header(4, MIDNIGHT - 1), [POOL.address])
    expect(await tableContents(database.pool)).toEqual(right)
    expect(await store.networkRow()).toMatchObject({ head: null, finalNumber: 4, degraded: null, reorgs: 1 })
    expect(await store.audited()).toBe(4)
    // Blocks of the orphaned branch must be searched again.
    expect((await store.keyProgress(manager)).searched).toEqual({ from: 2, to: 4 })
    expect((await store.keyProgress(younger)).searched).toBeNull()
    expect((await database.pool.query('SELECT FROM awaited_value')).rowCount).toBe(0)
  })

  it.each([
    ['before', 3],
    ['behind', 1],
  ])('leaves a candle whole although the time steps back %s it', async (_, replaced) => {
    // The replaced blocks may lie in the minute before that of the others.
    const minute = MIDNIGHT + 60
    const times = new Map([
      [1, minute + (replaced === 1 ? -2 : 0)],
      [2, minute + (replaced === 1 ? 0 : -1)],
      [3, minute + (replaced === 1 ? -1 : 1)],
    ])
    const trades = [...times].map(([number, time]) => trade(number, time))
    await fill(1, 3, trades, { fromTime: times.get(1) ?? 0, toTime: times.get(3) ?? 0, pools: [POOL] })
    const again = trades.filter(({ blockNumber }) => blockNumber === replaced)
    await store.replaceRange({ ...replacement(replaced, replaced), trades: again })
    expect(await store.compareDay(dayOf(MIDNIGHT))).toEqual([])
  })
})
