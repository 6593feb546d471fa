import { type Address, isCoin, isIdentifiedBy, usdE8Of } from '@dexfeed/dex'
import type { SwapFilter, SwapWithHops } from '@dexfeed/store'

type Condition = (swap: SwapWithHops) => boolean

/** Returns the condition of `/v1/swaps` for a trade in memory; the store's swap-search.ts has the same in SQL. */
export function swapMatcher(filter: SwapFilter): Condition {
  const { txHash, trader, token, sellToken, buyToken, pool, protocol, since, until, minUsd, maxUsd } = filter
  const conditions: Condition[] = []
  const when = <T>(value: T | undefined, condition: (swap: SwapWithHops, value: T) => boolean) => {
    if (value !== undefined) conditions.push((swap) => condition(swap, value))
  }
  when(txHash, (swap, hash) => swap.txHash === hash)
  when(trader, (swap, address) => swap.trader === address)
  when(token, (swap, address) => sells(swap, address) || buys(swap, address))
  when(sellToken, sells)
  when(buyToken, buys)
  when(since, (swap, time) => swap.time >= time)
  when(until, (swap, time) => swap.time < time)
  when(scaled(minUsd), ({ volumeUsd }, min) => volumeUsd !== null && usdE8Of(volumeUsd) >= min)
  when(scaled(maxUsd), ({ volumeUsd }, max) => volumeUsd !== null && usdE8Of(volumeUsd) <= max)
  if (pool !== undefined || protocol !== undefined) {
    // Pool and protocol must match the same hop.
    conditions.push(({ hops }) =>
      hops.some(
        ({ pool: of }) =>
          of !== null && isIdentifiedBy(of.address, pool ?? of.address) && (protocol ?? of.dex) === of.dex,
      ),
    )
  }
  return (swap) => conditions.every((condition) => condition(swap))
}

function sells({ network, sellToken, sellNative }: SwapWithHops, token: Address): boolean {
  return isCoin(network, token) ? sellNative : sellToken === token
}

function buys({ network, buyToken, buyNative }: SwapWithHops, token: Address): boolean {
  return isCoin(network, token) ? buyNative : buyToken === token
}

function scaled(usd: string | undefined): bigint | undefined {
  return usd === undefined ? undefined : usdE8Of(usd)
}
