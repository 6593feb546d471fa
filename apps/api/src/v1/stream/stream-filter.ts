import type { StreamRequest } from '@dexfeed/contract'
import { type NetworkName, usdE8Of } from '@dexfeed/dex'
import type { SwapFilter, SwapWithHops } from '@dexfeed/store'
import { filterOf } from '../swaps.ts'
import type { EdgeEvent } from './edge/edge-event.ts'

/** Which events a listener gets. */
export interface StreamFilter {
  /** Equal for listeners that get the same. */
  key: string
  network: NetworkName | undefined
  takes(event: EdgeEvent): boolean
}

/** The filter that the parameters of a stream stand for. */
export function streamFilter({ events, last_event_id: _, ...filters }: StreamRequest): StreamFilter {
  const wanted = events ?? new Set(['swap'])
  const filter = filterOf(filters)
  const isMatching = swapMatcher(filter)
  return {
    key: JSON.stringify([[...wanted].sort(), filters.network, Object.entries(filter).sort(byName)]),
    network: filters.network,
    takes({ name, swap, token }) {
      if (swap !== undefined) return wanted.has('swap') && isMatching(swap)
      if (token === undefined) return true
      return (wanted as ReadonlySet<string>).has(name) && (filter.token ?? token) === token
    },
  }
}

function byName([a]: [string, unknown], [b]: [string, unknown]): number {
  return a < b ? -1 : 1
}

type Condition = (swap: SwapWithHops) => boolean

/** What `/v1/swaps` asks the database for (swap-search.ts of the store), of a trade that is at hand. */
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
    // One hop is to be both.
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
