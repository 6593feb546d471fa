import type { StreamRequest, WithAddresses } from '@dexfeed/contract'
import { type Address, isIdentifiedBy, NETWORKS, type NetworkName, ZERO_ADDRESS } from '@dexfeed/dex'
import type { SwapWithHops } from '@dexfeed/store'
import type { EdgeEvent } from '../recent/edge-event.ts'
import { swapMatcher } from '../recent/swap-matcher.ts'
import { filterOf } from '../swaps.ts'

export interface StreamFilter {
  key: string
  network: NetworkName | undefined
  takes(event: EdgeEvent): boolean
}

export function streamFilter(
  { events, last_event_id: _, token: tokens, ...filters }: WithAddresses<StreamRequest>,
  networks: readonly { network: NetworkName; wrappedNative: Address }[],
): StreamFilter {
  const names = events ?? new Set(['swap'])
  const filter = filterOf(filters)
  const wrappers = new Map(networks.map(({ network, wrappedNative }) => [network, wrappedNative]))
  const traded = tokens && new Set(tokens)
  const isToken = ({ network, address }: NonNullable<EdgeEvent['token']>) =>
    traded === undefined || traded.has(address) || (address === wrappers.get(network) && hasCoin(network, traded))
  const isProtocol = (name: string) => filter.protocol === undefined || filter.protocol === name
  // Pools name the coin itself, unlike candles.
  const holdsAny = (network: NetworkName, tokens: readonly Address[]) =>
    traded === undefined ||
    tokens.some((token) => traded.has(token) || (token === ZERO_ADDRESS && hasCoin(network, traded)))
  const isPool = ({ network, protocol, tokens: own }: NonNullable<EdgeEvent['pool']>) =>
    isProtocol(protocol) && holdsAny(network, own)
  const isMove = ({ network, pool, dex, coins }: NonNullable<EdgeEvent['liquidity']>) =>
    isProtocol(dex) && (filter.pool === undefined || isIdentifiedBy(pool, filter.pool)) && holdsAny(network, coins)
  const isMatching = swapMatcher(filter)
  const isTraded = (swap: SwapWithHops) => traded === undefined || tradesAny(swap, traded)
  return {
    key: JSON.stringify([[...names].sort(), filters.network, tokens, Object.entries(filter).sort(byName)]),
    network: filters.network,
    takes({ name, swap, liquidity, token, pool }) {
      if (pool !== undefined) return names.has('pool') && isPool(pool)
      if (swap !== undefined) return names.has('swap') && isTraded(swap) && isMatching(swap)
      if (liquidity !== undefined) return names.has('liquidity') && isMove(liquidity)
      if (name === 'alert') return names.has('alert')
      if (token === undefined) return true
      return (names as ReadonlySet<string>).has(name) && isToken(token)
    },
  }
}

function tradesAny(swap: SwapWithHops, tokens: ReadonlySet<Address>): boolean {
  const { network, sellToken, sellNative, buyToken, buyNative } = swap
  if (tokens.has(sellToken) || tokens.has(buyToken)) return true
  return (sellNative || buyNative) && hasCoin(network, tokens)
}

function hasCoin(network: NetworkName, tokens: ReadonlySet<Address>): boolean {
  return NETWORKS[network].native.placeholders.some((placeholder) => tokens.has(placeholder))
}

function byName([a]: [string, unknown], [b]: [string, unknown]): number {
  return a < b ? -1 : 1
}
