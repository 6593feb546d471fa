import fc from 'fast-check'
import { beforeAll, expect, inject, it } from 'vitest'
import type { TableName } from '../src/tables.ts'
import { anyTrades, DATE, fillWorld, openWorld, type World, writeDay1 } from './lake-world.ts'
import { type Lines, lakeDay, plainDay } from './plain-day.ts'

let world: World

beforeAll(async () => {
  world = await openWorld()
})

type PoolLine = readonly [
  address: string,
  dex: string,
  factory: string,
  token0: string,
  token1: string,
  fee: number,
  tickSpacing: number | null,
  coins: readonly string[],
]

const parsed = <Row>(lines: readonly string[] = []) => lines.map((line) => JSON.parse(line) as Row)
const keyOf = (hex: string) => String(BigInt.asIntN(64, BigInt(`0x${hex.slice(-16)}`)))

/** The only pool with the key, or the only one of these that trades both tokens. */
function poolOf(pools: readonly string[], key: string, tokens: readonly string[]): string | null {
  const sharing = parsed<PoolLine>(pools).filter(([address]) => keyOf(address) === key)
  const trading = sharing.filter(
    ([, , , token0, token1, , , coins]) =>
      sharing.length === 1 || tokens.every((token) => [token0, token1, ...coins].includes(token)),
  )
  return trading.length === 1 ? (trading[0]?.[0] ?? null) : null
}

function checkPools(
  pools: readonly string[],
  { hop_pools: hops = [], pools: named = [], liquidity = [] }: Lines,
): void {
  const keys = [
    ...parsed<string[]>(hops).map(([key]) => key),
    ...parsed<string[]>(liquidity).map((row) => keyOf(row[6] ?? '')),
  ]
  const ofKeys = pools.filter((line) => keys.includes(keyOf(JSON.parse(line)[0])))
  expect(named).toEqual(ofKeys)
  for (const [key, tokenIn, tokenOut, pool] of parsed<string[]>(hops)) {
    expect(pool).toBe(poolOf(pools, key ?? '', [tokenIn ?? '', tokenOut ?? '']))
  }
}

function checkPrices({ prices = [], tokens = [] }: Lines): void {
  const decimals = new Map(
    parsed<[string, string, string, number]>(tokens).map(([address, , , count]) => [address, count]),
  )
  for (const [token, exact, double] of parsed<[string, string, number | null]>(prices)) {
    const count = decimals.get(token)
    const whole = count === undefined ? null : Number(BigInt(`0x${exact}`)) * 10 ** (count - 42)
    if (whole === null) expect(double).toBeNull()
    else expect(Math.abs((double ?? 0) / whole - 1)).toBeLessThan(2 ** -24 + 1e-12)
  }
}

/** The sums of amounts in the manifest, as the lines of the database have them. */
function plainSums({ swaps = [], hops = [], liquidity = [] }: Lines) {
  const sumOf = (lines: readonly string[], column: number) =>
    String(parsed<(string | null)[]>(lines).reduce((sum, row) => sum + BigInt(`0x${row.at(column) ?? 0}`), 0n))
  return {
    swaps: { sell_amount: sumOf(swaps, -4), buy_amount: sumOf(swaps, -2) },
    hops: { amount_in: sumOf(hops, -4), amount_out: sumOf(hops, -2) },
    liquidity: { liquidity: sumOf(liquidity, -2) },
  }
}

it('a day in the lake equals the database row for row and sum for sum', async () => {
  const seen = { hops: 0, candles: 0, flows: 0 }
  await fc.assert(
    fc.asyncProperty(anyTrades, async (trades) => {
      await fillWorld(world, trades)
      const manifest = await writeDay1(world)
      if (manifest === null) throw new Error('the day is complete')
      const { all_pools: allPools = [], tokens: allTokens = [], ...plain } = await plainDay(world.database.pool, DATE)
      const found = await lakeDay(world.lake, manifest)
      const { hop_pools: _hops, prices: _prices, pools: _pools, tokens = [], ...written } = found
      expect(written).toEqual(plain)
      expect(tokens.filter((row) => !allTokens.includes(row))).toEqual([])
      checkPools(allPools, found)
      checkPrices(found)
      const [total = ['0', '0', '0', '0.00000000']] = parsed<string[]>(plain.day_totals)
      expect(manifest.tables.swaps).toMatchObject({ rows: Number(total[0]), sums: { volume_usd: total[3] } })
      for (const [table, sums] of Object.entries(plainSums(plain))) {
        expect(manifest.tables[table as TableName].sums).toMatchObject(sums)
      }
      const blocks = [...(plain.hops ?? []), ...(plain.liquidity ?? [])].map((line) => Number(JSON.parse(line)[0]))
      const ends = blocks.length === 0 ? [null, null] : [Math.min(...blocks), Math.max(...blocks)]
      expect([manifest.first_block, manifest.last_block]).toEqual(ends)
      seen.hops += plain.hops?.length ?? 0
      seen.candles += found.prices?.length ?? 0
      seen.flows += plain.flows?.length ?? 0
    }),
    { numRuns: 5 * inject('scale'), endOnFailure: true },
  )
  expect(Math.min(seen.hops, seen.candles, seen.flows)).toBeGreaterThan(10)
})
