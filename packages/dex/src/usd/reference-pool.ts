import type { Address } from '../chain/hex.ts'
import type { PoolState } from '../pool-state.ts'

/** A pool of two anchors whose state tells a price. */
export interface ReferencePool {
  address: Address
  token0: Address
  token1: Address
}

export interface ReferenceConfig {
  wrappedNative: Address
  stablecoins: readonly Address[]
  anchors: readonly Address[]
  /** Of every token above; one without a usable value is no anchor. */
  decimals: ReadonlyMap<Address, number>
}

/** State of a reference pool after its last price event, with that block's time. */
export interface ReferenceState {
  state: PoolState
  timestamp: number
}
