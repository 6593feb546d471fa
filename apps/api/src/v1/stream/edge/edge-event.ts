import type { StreamData, StreamEventName } from '@dexfeed/contract'
import type { Address } from '@dexfeed/dex'
import type { SwapWithHops } from '@dexfeed/store'

/** What is told of a network, its data rendered once for all who listen. */
export interface EdgeEvent {
  name: StreamEventName
  /** The data as JSON. */
  json: string
  /** What filters look at: the trade, or the token of a candle or a price. */
  swap?: SwapWithHops
  token?: Address
}

/** An event that every listener of its network gets. */
export function edgeEvent<Name extends Exclude<StreamEventName, 'swap' | 'candle' | 'price'>>(
  name: Name,
  data: StreamData[Name],
): EdgeEvent {
  return { name, json: JSON.stringify(data) }
}

/** An event about a token. */
export function tokenEvent<Name extends 'candle' | 'price'>(
  name: Name,
  token: Address,
  data: StreamData[Name],
): EdgeEvent {
  return { name, json: JSON.stringify(data), token }
}
