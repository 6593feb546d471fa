import type { NetworkName } from '@dexfeed/dex'

/** How rows and people name a network. */
export interface NetworkKey {
  chainId: number
  name: NetworkName
}
