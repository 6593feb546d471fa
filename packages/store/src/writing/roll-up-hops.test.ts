import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { dayOf, type PricedTrade } from '@dexfeed/dex'
import { tableContents } from '@dexfeed/test-setup/table-dump'
import { expect, it } from 'vitest'
import { address, hop, MIDNIGHT, POOL, trade } from '../../test/rows/sample.ts'
import { database, fill, store, useStore } from '../../test/rows/scene.ts'
import { migrationsFolder } from '../migrate/migration-history.ts'

const ROLLUPS = ['pool_candle', 'token_volume', 'hour_volume']
const OTHER = { ...POOL, address: address(0xa1), token0: address(3), dex: { ...POOL.dex, name: 'sushiswap' } }

useStore('bsc', 4)

/** Values and amounts of all kinds, around midnight. Hops have the flags of their trade, as old rows do. */
const TRADES = Array.from({ length: 60 }, (_, n): PricedTrade => {
  const [flags, usd] = [[0, 0, 2, 4, 8, 1][n % 6] ?? 0, n % 7 === 0 ? null : BigInt(n) * 1_234_567n]
  const hops = [hop(POOL, 2), hop(OTHER, [0, 1, 5][n % 3])].map((hop, at) => ({
    ...hop,
    amountIn: 10n ** BigInt(n % 40) + BigInt(n),
    amountOut: BigInt(500 + n * 37 + at),
  }))
  return trade(n + 1, MIDNIGHT - 600 + n * 23, {
    hops,
    hopsUsdE8: [usd, n % 5 === 0 ? null : 10n ** 9n],
    hopsFlags: [flags & 6, flags & 6],
    flags,
    usdE8: usd,
    source: usd === null ? null : 'native',
  })
})

it('the migrations that created the roll-ups compute the same ones as commits', async () => {
  await fill(1, 60, TRADES, { pools: [POOL, OTHER] })
  const made = await tableContents(database.pool, ROLLUPS)
  expect(made.token_volume?.length).toBeGreaterThan(60)
  expect(made.hour_volume?.some((row) => row.includes('sushiswap'))).toBe(true)
  const differences = async () =>
    (await Promise.all([MIDNIGHT - 1, MIDNIGHT].map((time) => store.compareDay(dayOf(time))))).flat()
  expect(await differences()).toEqual([])

  await database.pool.query(
    `DROP TABLE pool_candle, token_volume, hour_volume; ALTER TABLE swap_hop DROP COLUMN flags;
     DROP INDEX pool_tokens_idx; ALTER TABLE network DROP COLUMN flow_unknown_to`,
  )
  for (const name of ['20261123030000_rollups', '20261129160000_token_volume', '20261130120000_order_flow']) {
    await database.pool.query(await readFile(join(migrationsFolder(), name, 'migration.sql'), 'utf8'))
  }
  while (await store.fillOrderFlow(7));
  expect(await tableContents(database.pool, ROLLUPS)).toEqual(made)
  expect(await differences()).toEqual([])
  // Commits still work.
  await fill(61, 61, [trade(61, MIDNIGHT + 800)])
  expect(await differences()).toEqual([])
})
