import type { Address } from '../chain.ts'
import type { Dex } from '../pool.ts'
import type { NetworkName } from './networks.ts'

export interface ListedToken {
  address: Address
  symbol: string
  name: string
  decimals: number
  /** Additional symbols (`WMATIC` for WPOL). */
  aliases?: readonly string[]
}

export const SETTLEMENT_KINDS = [
  'cow',
  'zeroex',
  'paraswap-v5',
  'uniswapx',
  'odos-v2',
  'odos-v3',
  'kyberswap',
  '1inch-v3',
  '1inch-v5',
  '1inch-v6',
  'erc4337',
  'cow-eth-flow',
] as const
export type SettlementKind = (typeof SETTLEMENT_KINDS)[number]

/** A contract whose events name the account that it trades for. Only events from this address count. */
export interface Settlement {
  kind: SettlementKind
  address: Address
}

export interface Deployment {
  network: NetworkName
  wrappedNative: Address
  /** Each counts as 1 USD while their pools with each other agree (docs/internals/usd.md). */
  stablecoins: readonly Address[]
  /** Other tokens with a trusted price, which is derived like the coin's. */
  anchors: readonly Address[]
  dexes: readonly Dex[]
  settlements?: readonly Settlement[]
  tokens: readonly ListedToken[]
  /** A final block is at least this far below the head, even if the node's `finalized` tag is higher. */
  finalityDepth: number
}
