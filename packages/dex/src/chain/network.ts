import { type Address, ZERO_ADDRESS } from './hex.ts'

/** The networks of the contract, in the order that breaks ties between rows of one block number. */
export const NETWORK_NAMES = ['eth', 'bsc', 'polygon'] as const
export type NetworkName = (typeof NETWORK_NAMES)[number]

export interface NativeCoin {
  name: string
  symbol: string
  decimals: 18
  /** Further symbols that name the coin in a request. */
  aliases: readonly string[]
}

export interface Network {
  name: NetworkName
  chainId: number
  native: NativeCoin
}

export const NETWORKS: Record<NetworkName, Network> = {
  eth: { name: 'eth', chainId: 1, native: { name: 'Ether', symbol: 'ETH', decimals: 18, aliases: [] } },
  bsc: { name: 'bsc', chainId: 56, native: { name: 'BNB', symbol: 'BNB', decimals: 18, aliases: [] } },
  polygon: { name: 'polygon', chainId: 137, native: { name: 'POL', symbol: 'POL', decimals: 18, aliases: ['MATIC'] } },
}

/** What most contracts call the coin where a token's address is wanted. */
export const NATIVE_PLACEHOLDER: Address = '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee'

/** Addresses that stand for the coin itself in a request; the last one is Polygon's own predeploy. */
export const NATIVE_PLACEHOLDERS: Record<NetworkName, readonly Address[]> = {
  eth: [NATIVE_PLACEHOLDER, ZERO_ADDRESS],
  bsc: [NATIVE_PLACEHOLDER, ZERO_ADDRESS],
  polygon: [NATIVE_PLACEHOLDER, ZERO_ADDRESS, '0x0000000000000000000000000000000000001010'],
}
