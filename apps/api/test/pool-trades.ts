import type { V1Row } from '@dexfeed/contract'
import { type Hex, MINUTE_S, usdE8Of, usdText } from '@dexfeed/dex'
import { expect } from 'vitest'
import type { ApiFixture } from './api-fixture.ts'
import { all, byInterval, iso } from './made-hops.ts'

export type PoolTrade = V1Row<'listPoolTrades'>

const byPlace = (a: PoolTrade, b: PoolTrade) =>
  Number(a.block_number) - Number(b.block_number) || a.log_index - b.log_index

/** Expects a pool's listed trades to add up to its candles and its volume. Returns them, oldest first. */
export async function expectTradesToAddUp(api: ApiFixture, pool: Hex, base: Hex): Promise<PoolTrade[]> {
  const trades = (await all(api, `/v1/pools/bsc/${pool}/trades?order=asc&limit=1000`)) as PoolTrade[]
  const rows = trades.toSorted(byPlace).map((trade) => ({ ...trade, time: Date.parse(trade.time) / 1_000 }))
  for (const [name, seconds] of [
    ['1m', MINUTE_S],
    ['1h', 3_600],
    ['1d', 86_400],
  ] as const) {
    const candles = await all(
      api,
      `/v1/candles?network=bsc&pool=${pool}&token=${base}&interval=${name}&order=asc&limit=1000`,
    )
    const ofBase = rows.filter(({ base_token }) => base_token.address.toLowerCase() === base)
    expect(candles).toEqual(
      byInterval(ofBase, seconds).map(([time, own]) => expect.objectContaining(candleOf(time, own))),
    )
  }
  const hours = await all(api, `/v1/volume?network=bsc&pool=${pool}&interval=1h&order=asc&limit=1000`)
  expect(hours).toEqual(
    byInterval(rows, 3_600).map(([time, own]) => {
      const { volume_usd, swaps: trades, unpriced_swaps: unpriced_trades } = candleOf(time, own)
      return expect.objectContaining({ time: iso(time), volume_usd, trades, unpriced_trades })
    }),
  )
  return trades
}

type Own = Pick<PoolTrade, 'price_usd' | 'volume_usd'>

function candleOf(time: number, own: readonly Own[]) {
  const prices = own.flatMap(({ price_usd }) => price_usd ?? [])
  const sorted = prices.toSorted((a, b) => Number(a) - Number(b))
  return {
    time: iso(time),
    open: prices[0] ?? null,
    close: prices.at(-1) ?? null,
    high: sorted.at(-1) ?? null,
    low: sorted[0] ?? null,
    volume_usd: usdText(
      own.reduce((sum, { volume_usd }) => sum + (volume_usd === null ? 0n : usdE8Of(volume_usd)), 0n),
    ),
    swaps: own.length,
    unpriced_swaps: own.filter(({ volume_usd }) => volume_usd === null).length,
  }
}
