import { type Pool, ZERO_ADDRESS } from '@dexfeed/dex'
import { LeaseLost, RangeAlreadyCovered } from '@dexfeed/store'
import { describe, expect, it } from 'vitest'
import { address, filling, following, hash, headers, MIDNIGHT, POOL, session, TOKEN, trade } from './rows/sample.ts'
import { database, fill, follow, lease, rows, store, useStore } from './rows/scene.ts'

useStore('polygon', 4)

describe('commit', () => {
  it('stores a trade so that it reads back equal', async () => {
    const sell = { token: address(1), amount: 2n ** 256n - 1n, native: true }
    const value = { usdE8: 12_345_678_901n, source: 'native', flags: 5 } as const
    const trades = [
      trade(7, MIDNIGHT + 7, { transactionIndex: 3, position: 1, sell, ...value, settledFor: address(0xb1) }),
      trade(8, MIDNIGHT + 8, { trader: null, usdE8: null, source: null }),
    ]
    const odd = { address: address(9), symbol: '"\\{}', name: "'; DROP TABLE swap", decimals: null }
    await fill(5, 9, trades, { tokens: [TOKEN, odd] })
    expect(
      await rows(`SELECT block_number, transaction_index, position, extract(epoch FROM block_time)::int AS time,
        encode(tx_hash, 'hex') AS tx, encode(trader, 'hex') AS trader, encode(sell_token, 'hex') AS sell, sell_native,
        sell_amount, encode(buy_token, 'hex') AS buy, buy_native, buy_amount, volume_usd, usd_source, flags,
        encode(settled_for, 'hex') AS settled
        FROM swap ORDER BY block_number`),
    ).toEqual([
      {
        block_number: 7,
        transaction_index: 3,
        position: 1,
        time: MIDNIGHT + 7,
        tx: hash(7, 0x77).slice(2),
        trader: address(0xb0).slice(2),
        settled: address(0xb1).slice(2),
        sell: address(1).slice(2),
        sell_native: true,
        sell_amount: sell.amount.toString(),
        buy: address(2).slice(2),
        buy_native: false,
        buy_amount: '20',
        volume_usd: '123.45678901',
        usd_source: 2,
        flags: 5,
      },
      expect.objectContaining({
        block_number: 8,
        trader: null,
        settled: null,
        volume_usd: null,
        usd_source: null,
        flags: 0,
      }),
    ])
    expect(await rows('SELECT swaps, unpriced, flagged, volume_usd FROM day_total')).toEqual([
      { swaps: '2', unpriced: '1', flagged: '1', volume_usd: '123.45678901' },
    ])
    expect(await rows('SELECT addresses FROM day_address_count')).toEqual([{ addresses: '1' }])
    const { dex, ...pool } = POOL
    expect(await store.loadPools()).toEqual([{ ...pool, dex: dex.name, factory: dex.factory }])
    for (const token of [TOKEN, odd]) expect(await store.loadTokens()).toContainEqual(token)
    expect(await store.coveredRanges()).toEqual([{ from: 5, to: 9, fromTime: MIDNIGHT + 5, toTime: MIDNIGHT + 9 }])
  })

  it('keeps the fields of a pool inside a manager, and of a pool of several coins', async () => {
    const coins = [ZERO_ADDRESS, address(3), address(4)]
    const several = { ...POOL, address: address(21), token1: address(3), coins, underlying: [address(5), address(6)] }
    const managed: Pool = { ...POOL, address: `${address(22)}${'5a'.repeat(32)}`, hooks: address(7) }
    await fill(5, 9, [], { pools: [several, managed] })
    const stored = (await store.loadPools()).map(({ dex: _name, factory: _factory, ...pool }) => pool)
    const inOrder = stored.sort((a, b) => (a.address < b.address ? -1 : 1))
    expect(inOrder).toEqual([several, managed].map(({ dex: _dex, ...pool }) => pool))
  })

  it('counts a trade to the UTC day of its block, whatever the time zone of the server', async () => {
    await database.pool.query(
      `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET TimeZone = %L', current_database(), 'Asia/Tokyo'); END $$`,
    )
    await fill(1, 3, [trade(1, MIDNIGHT - 1), trade(2, MIDNIGHT), trade(3, MIDNIGHT + 86_399)])
    expect(await rows('SELECT day::text, swaps FROM day_total ORDER BY day')).toEqual([
      { day: '2026-11-19', swaps: '1' },
      { day: '2026-11-20', swaps: '2' },
    ])
  })
  it('merges adjacent ranges and refuses one that is partly covered', async () => {
    await fill(10, 19)
    await fill(30, 39)
    for (const { from, to } of [filling(19, 20), filling(5, 10), filling(12, 15), filling(1, 50), filling(35, 35)]) {
      await expect(fill(from, to, [trade(to, MIDNIGHT)])).rejects.toBeInstanceOf(RangeAlreadyCovered)
      await expect(follow(headers(from, to))).rejects.toBeInstanceOf(RangeAlreadyCovered)
    }
    expect(await rows('SELECT FROM swap')).toEqual([])
    await fill(20, 29)
    await fill(9, 9)
    expect(await store.coveredRanges()).toEqual([{ from: 9, to: 39, fromTime: MIDNIGHT + 9, toTime: MIDNIGHT + 39 }])
  })

  it('covers parts of a range as requested, and other commits cover the rest later', async () => {
    const span = (from: number, to: number) => ({ from, to, fromTime: MIDNIGHT + from, toTime: MIDNIGHT + to })
    const commit = following(lease.epoch, headers(1, 4), [trade(4, MIDNIGHT + 4)])
    const covering = (...covered: ReturnType<typeof span>[]) => store.commitHead({ ...commit, covered })
    await expect(covering(span(1, 3))).rejects.toThrow('a row of block 4 is outside')
    await expect(covering(span(1, 5))).rejects.toThrow('not within 1 to 4')
    await covering(span(1, 1), span(3, 4))
    expect(await store.networkRow()).toMatchObject({ head: { number: 4 } })
    expect(await store.coveredRanges()).toEqual([span(1, 1), span(3, 4)])
    await fill(2, 2, [trade(2, MIDNIGHT + 2)])
    expect(await store.coveredRanges()).toEqual([span(1, 4)])
    expect(await rows('SELECT block_number::int AS number FROM swap ORDER BY 1')).toEqual([
      { number: 2 },
      { number: 4 },
    ])
  })

  it('lets one of two commits of a range at the same time succeed', async () => {
    const both = [1, 2].map(() => fill(1, 9, [trade(4, MIDNIGHT)]))
    const results = await Promise.allSettled(both)
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    const refused = results.find((result) => result.status === 'rejected')
    expect(refused?.reason).toBeInstanceOf(RangeAlreadyCovered)
    expect(await rows('SELECT swaps FROM day_total')).toEqual([{ swaps: '1' }])
  })

  it('moves the head, keeps the headers above the final block and notifies the readers', async () => {
    const reader = await session(database, 'test reader')
    const received: (string | undefined)[] = []
    reader.on('notification', ({ payload }) => received.push(payload))
    await reader.query('LISTEN dexfeed')
    const blocks = headers(1, 4)
    await follow(blocks, [], { finalNumber: 3, chainHead: { number: 9, timestamp: MIDNIGHT + 9 } })
    await reader.query('SELECT 1')
    expect(received).toEqual(['polygon'])
    expect(await store.reorgableBlocks()).toEqual(blocks.slice(2))
    expect(await store.networkRow()).toMatchObject({
      head: { number: 4, hash: hash(4), timestamp: MIDNIGHT + 4 },
      chainHead: { number: 9, timestamp: MIDNIGHT + 9 },
      finalNumber: 3,
      revision: 0,
      reorgs: 0,
    })
    await store.setDegraded('a failure that has passed', lease.epoch)
    await follow(headers(5), [], { finalNumber: 2 })
    expect(await store.networkRow()).toMatchObject({ finalNumber: 3, degraded: null })
  })

  it('returns the highest final block that was noted', async () => {
    expect([await store.noteFinal(lease.epoch, 20), await store.noteFinal(lease.epoch, 10)]).toEqual([20, 20])
    for (const epoch of [lease.epoch - 1, lease.epoch + 1]) {
      await expect(store.noteFinal(epoch, 30)).rejects.toBeInstanceOf(LeaseLost)
    }
    expect(await store.networkRow()).toMatchObject({ finalNumber: 20 })
  })
})
