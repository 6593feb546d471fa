import { CANDLE_INTERVALS, checksumAddress, type V1Handlers, type V1Row } from '@dexfeed/contract'
import { type Address, coinsOf, Groups, isoTime, usdE8Of, usdText, ZERO_ADDRESS } from '@dexfeed/dex'
import type { LiquiditySum } from '@dexfeed/store'
import { indexedOf } from './check-known.ts'
import { readIntervals } from './interval-page.ts'
import { onePool } from './one-pool.ts'
import type { V1Context } from './v1-context.ts'

type Row = V1Row<'listPoolLiquidity'>

export function poolLiquidity(context: V1Context): V1Handlers['listPoolLiquidity'] {
  const { reader, extent, now } = context
  return async ({ network, address, ...filters }, scan) => {
    const { networks, keptSince, tradedSince } = await extent()
    const indexed = indexedOf(network, networks)
    const { pool } = await onePool(context, network, address)
    const coins = coinsOf(pool)
    const interval = CANDLE_INTERVALS[filters.interval]
    const since = Math.max(tradedSince.get(network) ?? now(), keptSince ?? Number.NEGATIVE_INFINITY)
    return readIntervals(filters, scan, { indexed, interval, since, now: now() }, async (span) => {
      const sums = new Groups<number, LiquiditySum>()
      const of = { network, pool: pool.address, coins: coins.length, interval }
      for (const sum of await reader.liquiditySums({ ...of, ...span })) sums.add(sum.time, sum)
      return [...sums].map(([time, bySide]) => rowOf(time, bySide, coins))
    })
  }
}

function rowOf(time: number, sums: readonly LiquiditySum[], coins: readonly Address[]): Row {
  const nothing = { events: 0, amounts: coins.map(() => 0n), usd: usdText(0n) }
  const added = sums.find(({ isAdded }) => isAdded) ?? nothing
  const removed = sums.find(({ isAdded }) => !isAdded) ?? nothing
  return {
    time: isoTime(time),
    adds: added.events,
    removes: removed.events,
    tokens: coins.map((coin, index) => {
      const [came, left] = [added.amounts?.[index], removed.amounts?.[index]]
      return {
        address: coin === ZERO_ADDRESS ? '' : checksumAddress(coin),
        added: textOf(came),
        removed: textOf(left),
        net: textOf(came === undefined || left === undefined ? undefined : came - left),
      }
    }),
    added_usd: added.usd,
    removed_usd: removed.usd,
    net_usd: added.usd === null || removed.usd === null ? null : usdText(usdE8Of(added.usd) - usdE8Of(removed.usd)),
  }
}

function textOf(amount: bigint | undefined): string | null {
  return amount === undefined ? null : String(amount)
}
