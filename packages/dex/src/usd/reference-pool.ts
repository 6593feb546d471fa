import type { BlockPoint } from '../chain/block-range.ts'
import type { Address } from '../chain/hex.ts'
import type { NetworkName } from '../deployments/networks.ts'
import { NETWORKS } from '../deployments/networks.ts'
import type { ReferenceEvent } from '../pool-event.ts'

/** A pool of two anchors whose state tells a price. */
export interface ReferencePool {
  address: Address
  token0: Address
  token1: Address
  /** Concentrated liquidity: it changes at multiples of this many ticks alone; 1 where that is not known. */
  tickSpacing: number
}

export interface ReferenceConfig {
  wrappedNative: Address
  stablecoins: readonly Address[]
  anchors: readonly Address[]
  /** Of every token above; one without a usable value is no anchor. */
  decimals: ReadonlyMap<Address, number>
  /** Prices are medians over the ends of this many blocks. */
  settlingBlocks: number
  /** The most blocks of an hour. */
  hourBlocks: number
}

/** An event of a reference pool, with its block. */
export interface ReferenceChange {
  pool: Address
  block: BlockPoint
  event: ReferenceEvent
}

/** What stands for a block must not set a price; nor half a minute's blocks, where these come fast. */
const [LEAST_SETTLING_BLOCKS, SETTLING_S, HOUR_S] = [9, 30, 3_600]

/** How many blocks of a network count for its reference prices. */
export function referenceBlocks(network: NetworkName): Pick<ReferenceConfig, 'settlingBlocks' | 'hourBlocks'> {
  const { leastBlockTimeS } = NETWORKS[network]
  return {
    settlingBlocks: Math.max(LEAST_SETTLING_BLOCKS, Math.ceil(SETTLING_S / leastBlockTimeS)),
    hourBlocks: Math.ceil(HOUR_S / leastBlockTimeS),
  }
}
