import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { PricedTrade } from '@dexfeed/dex'
import { dayOf } from '@dexfeed/dex'
import type { Database, IndexerStore } from '@dexfeed/store'
import fc from 'fast-check'
import { beforeAll, expect, it } from 'vitest'
import {
  address,
  emptyStore,
  filling,
  following,
  header,
  hop,
  MIDNIGHT,
  openTestDatabase,
  POOL,
  trade,
} from '../../test/rows/sample.ts'
import { tableContents } from '../../test/rows/table-contents.ts'
import { migrationsFolder } from '../migrate/migrations.ts'

const ROLLUPS = ['pool_candle', 'token_candle', 'hour_volume'] as const
const OTHER = { ...POOL, address: address(0xa1), token0: address(3), dex: { ...POOL.dex, name: 'sushiswap' } }

let database: Database
let store: IndexerStore

beforeAll(async () => {
  database = await openTestDatabase(4)
  ;({ store } = await emptyStore(database, 'bsc'))
})

/** Values and amounts of all kinds, around midnight; flags are those of the trade, since old rows have no others. */
const TRADES = Array.from({ length: 60 }, (_, n): PricedTrade => {
  const [flags, usd] = [[0, 0, 2, 4, 8, 1][n % 6] ?? 0, n % 7 === 0 ? null : BigInt(n) * 1_234_567n]
  const hops = [hop(POOL, 2), hop(OTHER, [0, 1, 5][n % 3])].map((one, at) => ({
    ...one,
    ...{ amountIn: 10n ** BigInt(n % 40) + BigInt(n), amountOut: BigInt(500 + n * 37 + at) },
  }))
  return trade(n + 1, MIDNIGHT - 600 + n * 23, {
    ...{
      hops,
      hopsUsdE8: [usd, n % 5 === 0 ? null : 10n ** 9n],
      flags,
      usdE8: usd,
      source: usd === null ? null : 'native',
    },
    hopsFlags: [flags & 6, flags & 6],
  })
})

it('the migration that created the roll-ups computes the same ones as commits', async () => {
  await store.commit({ ...filling(1, 60, TRADES), pools: [POOL, OTHER] })
  const made = await tableContents(database.pool, ROLLUPS)
  expect(made.token_candle?.length).toBeGreaterThan(60)
  expect(made.hour_volume?.some((row) => row.includes('sushiswap'))).toBe(true)
  const days = [dayOf(MIDNIGHT - 1), dayOf(MIDNIGHT)]
  expect((await Promise.all(days.map((day) => store.compareDay(day)))).flat()).toEqual([])

  await database.pool.query(
    `DROP TABLE pool_candle, token_candle, hour_volume; ALTER TABLE swap_hop DROP COLUMN flags;
     DROP INDEX pool_tokens_idx`,
  )
  const sql = await readFile(join(migrationsFolder(), '20261123030000_rollups', 'migration.sql'), 'utf8')
  await database.pool.query(sql)
  expect(await tableContents(database.pool, ROLLUPS)).toEqual(made)
  expect((await Promise.all(days.map((day) => store.compareDay(day)))).flat()).toEqual([])
  // Commits continue to work.
  await store.commit({ ...filling(61, 61, [trade(61, MIDNIGHT + 800)]), pools: [POOL] })
  expect((await Promise.all(days.map((day) => store.compareDay(day)))).flat()).toEqual([])
})

const ANY_TRADE = fc.record({
  block: fc.integer({ min: 1, max: 40 }),
  index: fc.nat(3),
  pool: fc.constantFrom(POOL, OTHER),
  reversed: fc.boolean(),
  amounts: fc.tuple(fc.bigInt(0n, 10n ** 24n), fc.bigInt(1n, 3_000n)),
  usd: fc.option(fc.bigInt(0n, 10n ** 13n)),
  flags: fc.constantFrom(0, 0, 2, 4),
})

//   live      the follower merges a block's hops into its row of the minute, in memory
//   history   a commit adds the rows of its blocks, beside those of other commits
//   repair    compareDay computes the rows of the day
it('rows merged live, rows of history and a recount are the same candles', async () => {
  const isSame = async (at: readonly PricedTrade[]) => {
    const { store, lease } = await emptyStore(database, 'polygon')
    const of = (from: number, to: number) => at.filter(({ blockNumber }) => from <= blockNumber && blockNumber <= to)
    await store.commit({ ...filling(21, 30, of(21, 30)), pools: [POOL, OTHER] })
    const spans = [{ from: 1, to: 7, fromTime: timeOf(1), toTime: timeOf(7) }]
    spans.push({ from: 12, to: 20, fromTime: timeOf(12), toTime: timeOf(20) })
    await store.commit({ ...filling(1, 20, [...of(1, 7), ...of(12, 20)]), covered: spans })
    await store.commit(filling(8, 11, of(8, 11)))
    for (const block of [31, 32, 33, 34, 35, 36, 37, 38, 39, 40]) {
      await store.commit(following(lease.epoch, [header(block, timeOf(block))], of(block, block)))
    }
    const [live] = (await database.pool.query('SELECT sum(trades)::int AS trades FROM pool_candle')).rows
    expect(live.trades ?? 0).toBe(at.length)
    for (const day of [dayOf(MIDNIGHT - 1), dayOf(MIDNIGHT)]) expect(await store.compareDay(day)).toEqual([])
    await lease.release()
  }
  const timeOf = (block: number) => MIDNIGHT - 200 + block * 9
  const trades = fc.uniqueArray(ANY_TRADE, { maxLength: 60, selector: ({ block, index }) => block * 4 + index })
  await fc.assert(
    fc.asyncProperty(trades, (made) =>
      isSame(
        made.map(({ block, index, pool, reversed, amounts: [amountIn, amountOut], usd, flags }) => {
          const one = { ...hop(pool, index), amountIn, amountOut }
          const turned = reversed ? { ...one, tokenIn: one.tokenOut, tokenOut: one.tokenIn } : one
          const value = { usdE8: usd, source: usd === null ? null : ('native' as const), hopsUsdE8: [usd] }
          const place = { transactionIndex: index, hops: [turned], hopsFlags: [flags], flags }
          return trade(block, timeOf(block), { ...place, ...value })
        }),
      ),
    ),
    { numRuns: 8 },
  )
})
