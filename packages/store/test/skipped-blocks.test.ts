import {
  BlockNotStored,
  type Database,
  type IndexerStore,
  LeaseLost,
  openIndexerStore,
  RangeAlreadyCovered,
  type WriterLease,
} from '@dexfeed/store'
import { beforeAll, beforeEach, expect, it } from 'vitest'
import { emptyTables } from './rows/empty-tables.ts'
import {
  filling,
  following,
  hash,
  header,
  MIDNIGHT,
  openTestDatabase,
  POOL,
  startWriter,
  TOKEN,
  trade,
} from './rows/sample.ts'
import { tableContents } from './rows/table-contents.ts'

let database: Database
let store: IndexerStore
let lease: WriterLease

const covered = (from: number, to: number) => ({ from, to, fromTime: MIDNIGHT + from, toTime: MIDNIGHT + to })
const headers = (from: number, to: number, branch = 0) =>
  Array.from({ length: to - from + 1 }, (_, i) => header(from + i, MIDNIGHT + from + i, branch, i === 0 ? 0 : branch))
/** The skipped block 7 with its rows. */
const rowsOf7 = (epoch: number, branch = 0) => ({
  ...filling(7, 7, [trade(7, MIDNIGHT + 7)], { fromTime: MIDNIGHT + 7, toTime: MIDNIGHT + 7 }),
  ...{ pools: [POOL], tokens: [TOKEN], skipped: { epoch, hash: hash(7, branch), isProven: true } },
})

beforeAll(async () => {
  database = await openTestDatabase(4)
})

//  4 - 5 - 6 - (7) - 8        7 is stored, and not covered
beforeEach(async () => {
  await emptyTables(database.pool)
  store = openIndexerStore(database, 'polygon')
  lease = await startWriter(store, 'polygon')
  const live = following(lease.epoch, headers(4, 8), [trade(6, MIDNIGHT + 6)], { finalNumber: 4 })
  await store.commit({ ...live, covered: [covered(4, 6), covered(8, 8)] })
})

it('a skipped block is covered once, and the tables are as if it had not been skipped', async () => {
  await store.commit(rowsOf7(lease.epoch))
  expect(await store.coveredRanges()).toEqual([covered(4, 8)])
  await expect(store.commit(rowsOf7(lease.epoch))).rejects.toBeInstanceOf(RangeAlreadyCovered)
  const filledIn = await tableContents(database.pool)
  await lease.release()
  await emptyTables(database.pool)
  const again = await startWriter(store, 'polygon')
  const trades = [trade(6, MIDNIGHT + 6), trade(7, MIDNIGHT + 7)]
  await store.commit({
    ...following(again.epoch, headers(4, 8), trades, { finalNumber: 4 }),
    ...{ pools: [POOL], tokens: [TOKEN] },
  })
  expect(await tableContents(database.pool)).toEqual(filledIn)
})

it('of two commits of it at the same time one goes through', async () => {
  const outcomes = await Promise.allSettled([store.commit(rowsOf7(lease.epoch)), store.commit(rowsOf7(lease.epoch))])
  expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  expect((await store.storedTrades({ from: 7, to: 7 })).length).toBe(1)
})

it('its rows are not written once it is orphaned, and rolled back with it', async () => {
  await store.commit(rowsOf7(lease.epoch))
  await store.commit({
    ...following(lease.epoch, headers(7, 9, 1), [], { finalNumber: 4, rollbackTo: 6 }),
    covered: [covered(8, 9)],
  })
  expect(await store.storedTrades({ from: 7, to: 9 })).toEqual([])
  const before = await tableContents(database.pool)
  await expect(store.commit(rowsOf7(lease.epoch))).rejects.toBeInstanceOf(BlockNotStored)
  expect(await tableContents(database.pool)).toEqual(before)
  await store.commit(rowsOf7(lease.epoch, 1))
  expect(await store.coveredRanges()).toEqual([covered(4, 9)])
})

it('the rows come from the writer alone', async () => {
  await expect(store.commit(rowsOf7(lease.epoch - 1))).rejects.toBeInstanceOf(LeaseLost)
  expect(await store.storedTrades({ from: 7, to: 7 })).toEqual([])
})

it('a block that became final and is not kept is history', async () => {
  await store.commit({ ...following(lease.epoch, headers(9, 12), [], { finalNumber: 10 }), covered: [covered(9, 12)] })
  await expect(store.commit(rowsOf7(lease.epoch))).rejects.toBeInstanceOf(BlockNotStored)
  const { skipped: _, ...history } = rowsOf7(lease.epoch)
  await store.commit(history)
  expect(await store.coveredRanges()).toEqual([covered(4, 12)])
})
