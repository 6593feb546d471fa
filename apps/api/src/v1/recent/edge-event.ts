import type { StreamData, StreamEventName } from '@dexfeed/contract'
import type { Address, NetworkName } from '@dexfeed/dex'
import type { FoundLiquidity, SwapWithHops } from '@dexfeed/store'

export interface EdgeEvent {
  name: StreamEventName
  json: string
  swap?: SwapWithHops
  liquidity?: FoundLiquidity
  token?: { network: NetworkName; address: Address }
  pool?: { network: NetworkName; protocol: string; tokens: readonly Address[] }
}

export function edgeEvent<Name extends Exclude<StreamEventName, 'swap' | 'liquidity' | 'candle' | 'price' | 'pool'>>(
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
