import type { StreamRequest } from '@dexfeed/contract'
import { type NetworkName, usdE8Of } from '@dexfeed/dex'
import type { SwapFilter, SwapWithHops } from '@dexfeed/store'
import { filterOf } from '../swaps.ts'
import type { EdgeEvent } from './edge/edge-event.ts'

/** Selects the events of a listener. */
export interface StreamFilter {
  /** Equal for listeners with the same events. */
  key: string
  network: NetworkName | undefined
  takes(event: EdgeEvent): boolean
}

/** Returns the filter for the parameters of a stream. */
export function streamFilter({ events, last_event_id: _, ...filters }: StreamRequest): StreamFilter {
  const names = events ?? new Set(['swap'])
  const filter = filterOf(filters)
  const isMatching = swapMatcher(filter)
  return {
    key: JSON.stringify([[...names].sort(), filters.network, Object.entries(filter).sort(byName)]),
    network: filters.network,
    takes({ name, swap, token }) {
      if (swap !== undefined) return names.has('swap') && isMatching(swap)
      if (token === undefined) return true
      return (names as ReadonlySet<string>).has(name) && (filter.token ?? token) === token
    },
  }
}

function byName([a]: [string, unknown], [b]: [string, unknown]): number {
  return a < b ? -1 : 1
}

type Condition = (swap: SwapWithHops) => boolean

/** Returns the condition of `/v1/swaps` for a trade in memory. swap-search.ts of the store has the same in SQL. */
function swapMatcher(filter: SwapFilter): Condition {
  const { txHash, trader, token, sellToken, buyToken, pool, protocol, since, until, minUsd, maxUsd } = filter
  const conditions: Condition[] = []
  const when = <T>(value: T | undefined, condition: (swap: SwapWithHops, value: T) => boolean) => {
    if (value !== undefined) conditions.push((swap) => condition(swap, value))
  }
  when(txHash, (swap, hash) => swap.txHash === hash)
  when(trader, (swap, address) => swap.trader === address)
  when(token, (swap, address) => swap.sellToken === address || swap.buyToken === address)
  when(sellToken, (swap, address) => swap.sellToken === address)
  when(buyToken, (swap, address) => swap.buyToken === address)
  when(since, (swap, time) => swap.time >= time)
  when(until, (swap, time) => swap.time < time)
  when(scaled(minUsd), ({ volumeUsd }, least) => volumeUsd !== null && usdE8Of(volumeUsd) >= least)
  when(scaled(maxUsd), ({ volumeUsd }, most) => volumeUsd !== null && usdE8Of(volumeUsd) <= most)
  if (pool !== undefined || protocol !== undefined) {
    // Token and pool must match the same hop.
    conditions.push(({ hops }) =>
      hops.some(
        ({ pool: of }) => of !== null && (pool ?? of.address) === of.address && (protocol ?? of.dex) === of.dex,
      ),
    )
  }
  return (swap) => conditions.every((condition) => condition(swap))
}

function scaled(usd: string | undefined): bigint | undefined {
  return usd === undefined ? undefined : usdE8Of(usd)
}
