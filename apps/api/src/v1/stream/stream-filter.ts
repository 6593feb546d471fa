import type { StreamRequest } from '@dexfeed/contract'
import { type Address, isCoin, type NetworkName } from '@dexfeed/dex'
import type { EdgeEvent } from '../recent/edge-event.ts'
import { swapMatcher } from '../recent/swap-matcher.ts'
import { filterOf } from '../swaps.ts'

export interface StreamFilter {
  key: string
  network: NetworkName | undefined
  takes(event: EdgeEvent): boolean
}

export function streamFilter(
  { events, last_event_id: _, ...filters }: StreamRequest,
  networks: readonly { network: NetworkName; wrappedNative: Address }[],
): StreamFilter {
  const names = events ?? new Set(['swap'])
  const filter = filterOf(filters)
  const wrappers = new Map(networks.map(({ network, wrappedNative }) => [network, wrappedNative]))
  const isToken = ({ network, address }: NonNullable<EdgeEvent['token']>) => {
    if (filter.token === undefined) return true
    return address === (isCoin(network, filter.token) ? wrappers.get(network) : filter.token)
  }
  const isMatching = swapMatcher(filter)
  return {
    key: JSON.stringify([[...names].sort(), filters.network, Object.entries(filter).sort(byName)]),
    network: filters.network,
    takes({ name, swap, token }) {
      if (swap !== undefined) return names.has('swap') && isMatching(swap)
      if (token === undefined) return true
      return (names as ReadonlySet<string>).has(name) && isToken(token)
    },
  }
}

function byName([a]: [string, unknown], [b]: [string, unknown]): number {
  return a < b ? -1 : 1
}
