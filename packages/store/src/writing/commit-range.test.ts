import type { Hex } from '@dexfeed/dex'
import { BlockNotStored, LeaseLost, openReader, RangeAlreadyCovered } from '@dexfeed/store'
import { tableContents } from '@dexfeed/test-setup/table-dump'
import { beforeEach, describe, expect, it } from 'vitest'
import { filling, following, hash, headers, MIDNIGHT, POOL, TOKEN, trade } from '../../test/rows/sample.ts'
import { database, fill, follow, lease, startOver, store, useStore } from '../../test/rows/scene.ts'

const covered = (from: number, to: number) => ({ from, to, fromTime: MIDNIGHT + from, toTime: MIDNIGHT + to })
/** The rows of the skipped block 7. */
const rowsOf7 = (epoch: number, branch = 0) => ({
  ...filling(7, 7, [trade(7, MIDNIGHT + 7)]),
  pools: [POOL],
  tokens: [TOKEN],
  skipped: { epoch, hash: hash(7, branch), isProven: true },
})

useStore('polygon', 4)

//  4 - 5 - 6 - (7) - 8        7 is stored, but not covered
beforeEach(async () => {
  const parts = { covered: [covered(4, 6), covered(8, 8)] }
  await follow(headers(4, 8), [trade(6, MIDNIGHT + 6)], { finalNumber: 4 }, parts)
})

it('a skipped block is covered once, and the tables are as if it had not been skipped', async () => {
  await store.commitSkipped(rowsOf7(lease.epoch))
  expect(await store.coveredRanges()).toEqual([covered(4, 8)])
  await expect(store.commitSkipped(rowsOf7(lease.epoch))).rejects.toBeInstanceOf(RangeAlreadyCovered)
  const filledIn = await tableContents(database.pool)
  await startOver()
  const trades = [trade(6, MIDNIGHT + 6), trade(7, MIDNIGHT + 7)]
  await follow(headers(4, 8), trades, { finalNumber: 4 }, { tokens: [TOKEN] })
  expect(await tableContents(database.pool)).toEqual(filledIn)
})

it('of two commits of it at the same time one succeeds', async () => {
  const outcomes = await Promise.allSettled([
    store.commitSkipped(rowsOf7(lease.epoch)),
    store.commitSkipped(rowsOf7(lease.epoch)),
  ])
  expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  expect((await store.storedTrades({ from: 7, to: 7 })).length).toBe(1)
})

it('its rows are not written once it is orphaned, and rolled back with it', async () => {
  await store.commitSkipped(rowsOf7(lease.epoch))
  await follow(headers(7, 9, 1), [], { finalNumber: 4, rollbackTo: 6 }, { covered: [covered(8, 9)] })
  expect(await store.storedTrades({ from: 7, to: 9 })).toEqual([])
  const before = await tableContents(database.pool)
  await expect(store.commitSkipped(rowsOf7(lease.epoch))).rejects.toBeInstanceOf(BlockNotStored)
  expect(await tableContents(database.pool)).toEqual(before)
  await store.commitSkipped(rowsOf7(lease.epoch, 1))
  expect(await store.coveredRanges()).toEqual([covered(4, 9)])
})

it('the rows come from the writer alone', async () => {
  await expect(store.commitSkipped(rowsOf7(lease.epoch - 1))).rejects.toBeInstanceOf(LeaseLost)
  expect(await store.storedTrades({ from: 7, to: 7 })).toEqual([])
})

it('a block that became final and is no longer stored is left to history', async () => {
  await follow(headers(9, 12), [], { finalNumber: 10 }, { covered: [covered(9, 12)] })
  await expect(store.commitSkipped(rowsOf7(lease.epoch))).rejects.toBeInstanceOf(BlockNotStored)
  const { skipped: _, ...history } = rowsOf7(lease.epoch)
  await store.commitHistory(history)
  expect(await store.coveredRanges()).toEqual([covered(4, 12)])
})

describe('keys that blocks wait for', () => {
  const OTHER = `${POOL.address}${'07'.repeat(32)}` as const
  const awaited = async () => (await openReader(database).awaitedKeys()).map(({ blocks, pools }) => ({ blocks, pools }))
  const numbers = async () => (await awaited()).flatMap(({ blocks }) => blocks.map(({ number }) => number))
  /** Block 9 waits for keys, too. */
  const next = (pools: readonly Hex[]) => ({
    ...following(lease.epoch, headers(9), [], { finalNumber: 4 }),
    covered: [],
    awaiting: [{ number: 9, pools }],
  })

  beforeEach(async () => {
    await fill(1, 3, [], { covered: [covered(1, 2)], awaiting: [{ number: 3, pools: [OTHER] }] })
    await database.pool.query(`UPDATE awaited_key SET since = to_timestamp(${MIDNIGHT})`)
  })

  it('are reported with how long the first of them is awaited', async () => {
    await store.commitHead(next([OTHER, POOL.address]))
    expect(await awaited()).toEqual([{ pools: 2, blocks: [3, 9].map((number) => ({ number, since: MIDNIGHT })) }])
    // A key that no block has waited for is awaited from now on.
    await follow(
      headers(10),
      [],
      { finalNumber: 4 },
      { covered: [], awaiting: [{ number: 10, pools: [`0x${'99'.repeat(52)}`] }] },
    )
    const [reported] = await awaited()
    expect(reported?.blocks.at(-1)?.since).toBeGreaterThan(MIDNIGHT)
  })

  it('are noted again without a change', async () => {
    const again = { ...filling(3, 3), covered: [], awaiting: [{ number: 3, pools: [OTHER] }] }
    await store.commitHistory(again)
    expect(await awaited()).toEqual([{ pools: 1, blocks: [{ number: 3, since: MIDNIGHT }] }])
  })

  it('are deleted when their block is covered, in history and at the head', async () => {
    await store.commitHead(next([OTHER]))
    await fill(3, 3)
    expect(await numbers()).toEqual([9])
    await store.commitSkipped({
      ...filling(9, 9),
      skipped: { epoch: lease.epoch, hash: hash(9), isProven: true },
    })
    expect(await awaited()).toEqual([])
  })

  it('are deleted with an orphaned block, and with blocks before a later start', async () => {
    await store.commitHead(next([OTHER]))
    await follow(headers(9, 9, 1), [], { finalNumber: 4, rollbackTo: 8 })
    expect(await numbers()).toEqual([3])
    await store.raiseStart({ number: 4, timestamp: MIDNIGHT + 4 })
    expect(await awaited()).toEqual([])
  })

  it('are refused for a block that the same commit covers', async () => {
    const wrong = { ...filling(10, 11), awaiting: [{ number: 11, pools: [OTHER] }] }
    await expect(store.commitHistory(wrong)).rejects.toThrow(RangeError)
  })
})

describe('denials by one endpoint', () => {
  const denial = (from: number, to: number) => ({ emitter: POOL.address, from, to })
  const TOP = 100

  beforeEach(async () => {
    await fill(1, 3, [], { denied: [denial(1, 1), denial(2, 3)] })
    await follow(headers(9), [], { finalNumber: 4 }, { denied: [denial(9, 9)] })
  })

  it('are reported with their blocks once these are final, and no longer when they are settled', async () => {
    expect(await store.unconfirmedDenials(2)).toEqual([denial(1, 1)])
    expect(await store.unconfirmedDenials(TOP)).toEqual([denial(1, 1), denial(2, 3), denial(9, 9)])
    await store.settleDenials([denial(1, 1), denial(9, 9)])
    expect(await store.unconfirmedDenials(TOP)).toEqual([denial(2, 3)])
  })

  it('are deleted with an orphaned block, and with blocks before a later start', async () => {
    await follow(headers(9, 9, 1), [], { finalNumber: 4, rollbackTo: 8 })
    expect(await store.unconfirmedDenials(TOP)).toEqual([denial(1, 1), denial(2, 3)])
    await store.raiseStart({ number: 3, timestamp: MIDNIGHT + 3 })
    expect(await store.unconfirmedDenials(TOP)).toEqual([denial(2, 3)])
  })

  it('are deleted with a final block that is orphaned', async () => {
    await store.rollBackBelowFinal(lease.epoch, { number: 2, timestamp: MIDNIGHT + 2 }, [])
    expect(await store.unconfirmedDenials(TOP)).toEqual([denial(1, 1), denial(2, 3)])
  })
})
