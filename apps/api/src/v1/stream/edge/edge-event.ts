import type { StreamData, StreamEventName } from '@dexfeed/contract'
import type { Address, NetworkName } from '@dexfeed/dex'
import type { SwapWithHops } from '@dexfeed/store'

/** An event of a network, with its data rendered once for all listeners. */
export interface EdgeEvent {
  name: StreamEventName
  json: string
  /** What filters check: the trade, or the token of a candle or a price. */
  swap?: SwapWithHops
  token?: { network: NetworkName; address: Address }
}

/** Returns an event for every listener of its network. */
export function edgeEvent<Name extends Exclude<StreamEventName, 'swap' | 'candle' | 'price'>>(
  name: Name,
  data: StreamData[Name],
): EdgeEvent {
  return { name, json: JSON.stringify(data) }
}

export function tokenEvent<Name extends 'candle' | 'price'>(
  name: Name,
  address: Address,
  data: StreamData[Name],
): EdgeEvent {
  return { name, json: JSON.stringify(data), token: { network: data.network, address } }
}
