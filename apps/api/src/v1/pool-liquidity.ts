import { CANDLE_INTERVALS, checksumAddress, type V1Handlers, type V1Row } from '@dexfeed/contract'
import {
  type Address,
  coinsOf,
  Groups,
  HOUR_S,
  isoTime,
  moveValueE8,
  type Token,
  usdE8Of,
  usdText,
  ZERO_ADDRESS,
} from '@dexfeed/dex'
import type { HeldAtEnd, LiquiditySum } from '@dexfeed/store'
import { indexedOf } from '../service/freshness.ts'
import { readIntervals } from './interval-page.ts'
import { onePool } from './one-pool.ts'
import type { V1Context } from './v1-context.ts'

type Row = V1Row<'listPoolLiquidity'>

export function poolLiquidity(context: V1Context): V1Handlers['listPoolLiquidity'] {
  const { reader, extent, now } = context
  return async ({ network, address, ...filters }, scan) => {
    const { networks, keptSince, tradedSince } = await extent()
    const indexed = indexedOf(network, networks)
    const { wrappedNative } = indexed
    const { pool } = await onePool(context, network, address)
    const coins = coinsOf(pool)
    const interval = CANDLE_INTERVALS[filters.interval]
    const since = Math.max(tradedSince.get(network) ?? now(), keptSince ?? Number.NEGATIVE_INFINITY)
    return readIntervals(filters, scan, { indexed, interval, since, now: now() }, async (span) => {
      const selection = { network, pool: pool.address, interval, ...span }
      const sums = new Groups<number, LiquiditySum>()
      for (const sum of await reader.liquiditySums({ ...selection, coins: coins.length })) sums.add(sum.time, sum)
      const ends = interval < HOUR_S ? [] : await reader.heldAtEnds(selection)
      const held = new Map(ends.map((end) => [end.time, end]))
      const tokens = held.size === 0 ? [] : await reader.tokens(network, [wrappedNative, ...coins])
      const times = [...new Set([...sums.keys(), ...held.keys()])].sort((a, b) => a - b)
      return times.map((time) => {
        const end = held.get(time)
        return {
          ...rowOf(time, sums.of(time), coins, end?.amounts),
          liquidity_usd: end === undefined ? null : worthOf(end, coins, { wrappedNative, tokens }),
        }
      })
    })
  }
}

/** Like that of the market (`heldE8`), which values pools of two coins. */
function worthOf(
  { amounts, pricesE18 }: HeldAtEnd,
  coins: readonly Address[],
  { wrappedNative, tokens }: { wrappedNative: Address; tokens: readonly Token[] },
): string | null {
  if (coins.length > 2) return null
  const anchors = tokens.flatMap(({ address, decimals }) => {
    const priceE18 = pricesE18.get(address)
    return priceE18 === undefined || decimals === null ? [] : [[address, { priceE18, decimals }] as const]
  })
  const value = moveValueE8({ coins, amounts }, new Map(anchors), wrappedNative)
  return value === null ? null : usdText(value)
}

function rowOf(
  time: number,
  sums: readonly LiquiditySum[],
  coins: readonly Address[],
  held: readonly bigint[] | undefined,
): Omit<Row, 'liquidity_usd'> {
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
        held: textOf(held?.[index]),
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
