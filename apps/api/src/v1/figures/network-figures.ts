import type { Address, NetworkName, PoolAddress } from '@dexfeed/dex'
import type { IndexedNetwork } from '@dexfeed/store'

/** What can be told of a token's or a pool's last day in USD. Unknown is null. */
export interface Figures {
  readonly network: NetworkName
  readonly address: Address | PoolAddress
  /** Of a whole token, plain decimal. */
  readonly priceUsd: string | null
  /** Percent, times 10^4. */
  readonly changeE4: bigint | null
  readonly volumeE8: bigint
  readonly swaps: number
  readonly unpriced: number
  /** Seconds since 1970. */
  readonly firstSeen: number | null
  readonly liquidityE8: bigint | null
}

export interface PoolFigures extends Figures {
  /** The token that the price is of. */
  readonly base: Address
}

/** The figures of all tokens and pools of a network, by address, ascending; they never change. */
export interface NetworkFigures {
  /** As it was when they were read. */
  readonly network: IndexedNetwork
  readonly tokens: ReadonlyMap<Address, Figures>
  readonly pools: ReadonlyMap<PoolAddress, PoolFigures>
}

/** Of a token or pool that came after the others were read. */
export function noFigures(network: NetworkName, address: Address): Figures {
  const unknown = { priceUsd: null, changeE4: null, firstSeen: null, liquidityE8: null }
  return { network, address, ...unknown, volumeE8: 0n, swaps: 0, unpriced: 0 }
}
