import type { Address } from './chain/hex.ts'
import type { NetworkName } from './chain/network.ts'
import type { Dex } from './pool.ts'
import type { Settlement } from './trades/settlements.ts'

/** A token that may be named by its symbol. */
export interface ListedToken {
  address: Address
  symbol: string
  name: string
  decimals: number
  /** Further symbols for the same token (`WMATIC` for WPOL). */
  aliases?: readonly string[]
}

/** What dexfeed follows on one network. */
export interface Deployment {
  network: NetworkName
  wrappedNative: Address
  /** Count as 1 USD each while their mutual pools agree (DESIGN: USD value). */
  stablecoins: readonly Address[]
  /** Further tokens with a trusted USD price, derived like the native coin's. */
  anchors: readonly Address[]
  dexes: readonly Dex[]
  /** Contracts that trade for others and say so. */
  settlements?: readonly Settlement[]
  /** The curated symbol list. */
  tokens: readonly ListedToken[]
  /** Blocks behind the head that are taken as final where the node's own `finalized` tag reaches further. */
  finalityDepth: number
}
