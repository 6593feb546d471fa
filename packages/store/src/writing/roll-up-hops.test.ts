import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { PricedTrade } from '@dexfeed/dex'
import { dayOf } from '@dexfeed/dex'
import type { Database, IndexerStore } from '@dexfeed/store'
import { beforeAll, expect, it } from 'vitest'
import { address, emptyStore, filling, hop, MIDNIGHT, openTestDatabase, POOL, trade } from '../../test/rows/sample.ts'
import { tableContents } from '../../test/rows/table-contents.ts'
import { migrationsFolder } from '../migrate/migration-history.ts'

const ROLLUPS = ['pool_candle', 'token_volume', 'hour_volume'] as const
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
  const hops = [hop(POOL, 2), hop(OTHER, [0, 1, 5][n % 3])].map((hop, at) => ({
    ...hop,
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

it('the migrations that created the roll-ups compute the same ones as commits', async () => {
  await store.commitHistory({ ...filling(1, 60, TRADES), pools: [POOL, OTHER] })
  const made = await tableContents(database.pool, ROLLUPS)
  expect(made.token_volume?.length).toBeGreaterThan(60)
  expect(made.hour_volume?.some((row) => row.includes('sushiswap'))).toBe(true)
  const days = [dayOf(MIDNIGHT - 1), dayOf(MIDNIGHT)]
  expect((await Promise.all(days.map((day) => store.compareDay(day)))).flat()).toEqual([])

  await database.pool.query(
    `DROP TABLE pool_candle, token_volume, hour_volume; ALTER TABLE swap_hop DROP COLUMN flags;
     DROP INDEX pool_tokens_idx`,
  )
  for (const name of ['20261123030000_rollups', '20261129160000_token_volume']) {
    await database.pool.query(await readFile(join(migrationsFolder(), name, 'migration.sql'), 'utf8'))
  }
  expect(await tableContents(database.pool, ROLLUPS)).toEqual(made)
  expect((await Promise.all(days.map((day) => store.compareDay(day)))).flat()).toEqual([])
  // Commits continue to work.
  await store.commitHistory({ ...filling(61, 61, [trade(61, MIDNIGHT + 800)]), pools: [POOL] })
  expect((await Promise.all(days.map((day) => store.compareDay(day)))).flat()).toEqual([])
})
