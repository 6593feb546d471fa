import type { Pool, PoolAddress, PricedTrade } from '@dexfeed/dex'
import { openReader, type UnreadPool } from '@dexfeed/store'
import { expect, it } from 'vitest'
import { address, header, hop, MIDNIGHT, POOL, trade } from './rows/sample.ts'
import { database, fill, follow, lease, store, useStore } from './rows/scene.ts'

const DAY_S = 86_400
const OTHER: Pool = { ...POOL, address: address(0xa1) }
const ROUTED: Pool = { ...POOL, address: `${address(0xa2)}${'7'.repeat(64)}` }

useStore('eth', 3)

/** Returns trades that begin at these pools, each in its own transaction. */
function tradesAt(block: number, timestamp: number, pools: readonly Pool[]): PricedTrade[] {
  return pools.map((pool, transactionIndex) => trade(block, timestamp, { transactionIndex, hops: [hop(pool)] }))
}

it('trades of pools are those of the day before the head', async () => {
  const times = [MIDNIGHT, MIDNIGHT + DAY_S, MIDNIGHT + DAY_S + 1]
  const blocks = times.map((time, index) => header(index + 1, time))
  const trades = [
    ...tradesAt(1, MIDNIGHT, [OTHER, OTHER]),
    ...tradesAt(2, MIDNIGHT + DAY_S, [POOL, ROUTED, POOL]),
    ...tradesAt(3, MIDNIGHT + DAY_S + 1, [POOL, OTHER]),
  ]
  await follow(blocks, trades, {}, { pools: [POOL, OTHER, ROUTED] })
  const counted = await store.poolTrades()
  expect(new Map(counted.map(({ pool, trades }) => [pool, trades]))).toEqual(
    new Map([
      [POOL.address, 3],
      [OTHER.address, 1],
      [ROUTED.address, 1],
    ]),
  )
})

const counts = async () => (await openReader(database).networks())[0]?.unread
const names = async () => (await openReader(database).unreadPools('eth')).map((pool) => pool.address).sort()

it('the unread pools are what the writer reported, as a whole or by changes', async () => {
  await follow([header(1, MIDNIGHT)], [], {}, { pools: [POOL, OTHER, ROUTED] })
  expect([await counts(), await names()]).toEqual([{ pools: 0, firstPlace: null }, []])
  const report = (unread: readonly UnreadPool[], read: readonly PoolAddress[] | null = null, epoch = lease.epoch) =>
    store.changeUnreadPools(epoch, { unread, read })
  await report([
    { pool: POOL.address, place: 7 },
    { pool: OTHER.address, place: null },
  ])
  expect([await counts(), await names()]).toEqual([{ pools: 1, firstPlace: 7 }, [POOL.address, OTHER.address]])
  await report([
    { pool: POOL.address, place: 3 },
    { pool: ROUTED.address, place: 9 },
  ])
  expect([await counts(), await names()]).toEqual([{ pools: 2, firstPlace: 3 }, [POOL.address, ROUTED.address]])
  await report([{ pool: ROUTED.address, place: 1 }], [POOL.address], lease.epoch - 1)
  await report([], null, lease.epoch - 1)
  expect(await counts()).toEqual({ pools: 2, firstPlace: 3 })
  await report([{ pool: OTHER.address, place: null }], [POOL.address])
  expect([await counts(), await names()]).toEqual([{ pools: 1, firstPlace: 9 }, [OTHER.address, ROUTED.address].sort()])
  await report([])
  expect([await counts(), await names()]).toEqual([{ pools: 0, firstPlace: null }, []])
})

it('a quoted pool of past blocks is unread from its commit on, until the writer reports what it does with it', async () => {
  const found = async () => (await store.foundPools()).sort()
  await follow([header(9, MIDNIGHT)], [], {}, { pools: [POOL] })
  const unquoted: Pool = { ...POOL, address: address(0xa3), dex: { ...POOL.dex, feeBps: null } }
  await fill(1, 4, [], { pools: [POOL, OTHER, ROUTED, unquoted] })
  expect([await counts(), await found()]).toEqual([{ pools: 0, firstPlace: null }, [OTHER.address, ROUTED.address]])
  const loaded = await store.loadPools(await found())
  expect(loaded.map((pool) => pool.address).sort()).toEqual([OTHER.address, ROUTED.address])
  // A new writer replaces what the previous one reported. It may not know what history has found since.
  await store.changeUnreadPools(lease.epoch, { unread: [{ pool: POOL.address, place: 2 }], read: null })
  expect(await names()).toEqual([POOL.address, OTHER.address, ROUTED.address])
  await store.changeUnreadPools(lease.epoch, { unread: [{ pool: OTHER.address, place: null }], read: [ROUTED.address] })
  expect([await names(), await found()]).toEqual([[POOL.address, OTHER.address], []])
  await fill(5, 8, [], { pools: [OTHER, ROUTED] })
  expect(await found()).toEqual([])
  // A repair counts as history, too.
  const repaired: Pool = { ...POOL, address: address(0xa4) }
  await store.noteFinal(lease.epoch, 8)
  await store.replaceRange({ from: 2, to: 3, trades: [], pools: [POOL, repaired], tokens: [], times: new Map() })
  expect(await found()).toEqual([repaired.address])
})
