import type { Address, Hex } from '@dexfeed/dex'

export interface Call {
  to: Address
  data: Hex
}

/** An eth_call without a recipient: the node runs its data as code. */
export interface CodeCall {
  data: Hex
  gas?: Hex
}
