import { dayOf, FLAG_PARTIAL, type PricedTrade, type Token, type UsdValue } from '@dexfeed/dex'
import { openIndexerStore } from '@dexfeed/store'
import { tableContents } from '@dexfeed/test-setup/table-dump'
import { expect, test } from 'vitest'
import { knownValues } from '../src/tables/awaited-value.ts'
import { emptyTables } from './rows/empty-tables.ts'
import { address, filling, following, headers, MIDNIGHT, startWriter, TOKEN, trade } from './rows/sample.ts'
import { database, rows, useDatabase } from './rows/scene.ts'

const VALUE: UsdValue = { usdE8: 150_000_000n, source: 'stablecoin', flags: 1 }
const NO_VALUE = { usdE8: null, source: null, flags: 0 }
const OTHER: Token = { address: address(2), symbol: 'TWO', name: 'Token two', decimals: 6 }
const TABLES = ['swap', 'day_total', 'hour_volume', 'day_trader', 'token']

useDatabase(10)

const valued = (block: number): PricedTrade => trade(block, MIDNIGHT + block, VALUE)
const awaiting = (block: number): PricedTrade => trade(block, MIDNIGHT + block, { ...NO_VALUE, awaited: VALUE })
const awaited = async () => (await rows('SELECT FROM awaited_value')).length

/** Returns the table contents after a plain commit of these trades with these tokens. */
async function plainly(trades: readonly PricedTrade[], tokens: readonly Token[]) {
  await openIndexerStore(database, 'eth').commitHistory({ ...filling(1, 9, trades), tokens })
  const contents = await tableContents(database.pool, TABLES)
  await emptyTables(database.pool)
  return contents
}

test('a trade whose tokens become known later ends as if they had been known from the start', async () => {
  const expected = await plainly([valued(1), valued(2), trade(3, MIDNIGHT + 3)], [TOKEN, OTHER])
  const store = openIndexerStore(database, 'eth')
  await store.commitHistory({ ...filling(1, 9, [awaiting(1), awaiting(2), trade(3, MIDNIGHT + 3)]), tokens: [TOKEN] })
  expect(await store.settleAwaitedValues([])).toBe(2)
  expect(await store.settleAwaitedValues([OTHER])).toBe(0)
  expect(await tableContents(database.pool, TABLES)).toEqual(expected)
  expect(await store.settleAwaitedValues([OTHER])).toBe(0)
  expect(await tableContents(database.pool, TABLES)).toEqual(expected)
})

test('values that a worker without the token adds later are settled, too', async () => {
  const expected = await plainly([valued(1), valued(7)], [TOKEN, OTHER])
  const store = openIndexerStore(database, 'eth')
  await store.commitHistory({ ...filling(1, 5, [awaiting(1)]), tokens: [TOKEN] })
  await store.settleAwaitedValues([OTHER])
  await store.commitHistory(filling(6, 9, [awaiting(7)]))
  expect(await store.settleAwaitedValues([])).toBe(0)
  expect(await tableContents(database.pool, TABLES)).toEqual(expected)
})

test('a token without decimals leaves its trades without a value', async () => {
  const unreadable = { ...OTHER, decimals: null }
  const expected = await plainly([trade(1, MIDNIGHT + 1, NO_VALUE)], [TOKEN, unreadable])
  const store = openIndexerStore(database, 'eth')
  await store.commitHistory({ ...filling(1, 9, [awaiting(1)]), tokens: [TOKEN] })
  expect(await store.settleAwaitedValues([unreadable])).toBe(0)
  expect(await tableContents(database.pool, TABLES)).toEqual(expected)
})

test('values stop waiting when their trades are rolled back or deleted otherwise', async () => {
  const store = openIndexerStore(database, 'polygon')
  const lease = await startWriter(store, 'polygon')
  await store.commitHead(following(lease.epoch, headers(1, 3), [awaiting(1), awaiting(2), awaiting(3)]))
  await store.commitHead(following(lease.epoch, headers(3, 3, 1), [], { rollbackTo: 2 }))
  expect(await awaited()).toBe(2)
  await database.pool.query('DELETE FROM swap WHERE block_number = 2')
  expect(await store.settleAwaitedValues([TOKEN, OTHER])).toBe(0)
  expect(await awaited()).toBe(0)
  await lease.release()
})

test('networks do not settle values of each other', async () => {
  const [eth, bsc] = [openIndexerStore(database, 'eth'), openIndexerStore(database, 'bsc')]
  await eth.commitHistory(filling(1, 9, [awaiting(1)]))
  expect(await bsc.settleAwaitedValues([TOKEN, OTHER])).toBe(0)
  expect(await eth.settleAwaitedValues([])).toBe(1)
})

test('a trade that was flagged before its value arrived counts once as flagged, and not after a rollback', async () => {
  const store = openIndexerStore(database, 'eth')
  const lease = await startWriter(store, 'eth')
  const flagged = () => rows('SELECT swaps, flagged FROM day_total')
  // Flags before and after, for the four ways in which a value can arrive.
  const flags = [
    [FLAG_PARTIAL, FLAG_PARTIAL],
    [FLAG_PARTIAL, FLAG_PARTIAL | 1],
    [0, 1],
    [0, 0],
  ]
  const trades = flags.map(([before = 0, after = 0], index) =>
    trade(index + 2, MIDNIGHT + index + 2, { ...NO_VALUE, flags: before, awaited: { ...VALUE, flags: after } }),
  )
  await store.commitHead({ ...following(lease.epoch, headers(1, 5), trades), tokens: [TOKEN] })
  expect(await store.settleAwaitedValues([OTHER])).toBe(0)
  expect(await store.compareDay(dayOf(MIDNIGHT))).toEqual([])
  expect(await flagged()).toEqual([{ swaps: '4', flagged: '3' }])
  await store.commitHead(following(lease.epoch, headers(3, 3, 1), [], { rollbackTo: 2 }))
  expect(await store.compareDay(dayOf(MIDNIGHT))).toEqual([])
  expect(await flagged()).toEqual([{ swaps: '1', flagged: '1' }])
  await store.commitHead(following(lease.epoch, headers(2, 2, 2), [], { rollbackTo: 1 }))
  expect(await store.compareDay(dayOf(MIDNIGHT))).toEqual([])
  expect(await flagged()).toEqual([])
  await lease.release()
})

test('of many waiting values, those with known tokens are found without reading all trades, and settled in parts', async () => {
  const store = openIndexerStore(database, 'eth')
  const trades = Array.from({ length: 12_000 }, (_, n) => (n % 8 === 0 ? awaiting(n) : valued(n)))
  await store.commitHistory({ ...filling(0, 11_999, trades), tokens: [TOKEN] })
  await database.pool.query('ANALYZE swap, awaited_value')
  const { sql, values } = knownValues(1)
  const plan = await database.prisma.$queryRawUnsafe<object[]>(`EXPLAIN ${sql.replaceAll('?', '1')}`)
  expect(new Set(values)).toEqual(new Set([1]))
  expect(JSON.stringify(plan)).not.toContain('Seq Scan on swap')
  expect(await store.settleAwaitedValues([OTHER])).toBe(500)
  expect(await store.settleAwaitedValues([])).toBe(0)
  expect(await store.compareDay(dayOf(MIDNIGHT))).toEqual([])
})
