import type { Address } from './hex.ts'

/** Every kind of DEX that a configuration may name. */
export const DEX_KINDS = [
  'uniswap-v2',
  'uniswap-v3',
  'pancakeswap-v3',
  'uniswap-v4',
  'algebra-v1',
  'algebra-v1.9',
  'algebra-integral',
  'pancakeswap-infinity-cl',
  'pancakeswap-infinity-bin',
  'curve',
  'balancer-v2',
  'balancer-v3',
  'dodo',
] as const
export type DexKind = (typeof DEX_KINDS)[number]

/** A deployment of a DEX protocol on one network. */
export interface Dex {
  name: string
  kind: DexKind
  /** Factory, vault or pool manager: the contract that vouches for pools. */
  factory: Address
  /** Uniswap V2 family: the swap fee in hundredths of a percent (30 = 0.3 %). */
  feeBps?: number
}

/** A pool that its configured factory vouches for. */
export interface Pool {
  address: Address
  dex: Dex
  token0: Address
  token1: Address
  /** Swap fee in millionths (3000 = 0.3 %). */
  fee: number
  /** V3 kinds: distance between usable ticks; null for V2 kinds. */
  tickSpacing: number | null
}

/** What is known of a token contract. */
export interface Token {
  address: Address
  symbol: string
  name: string
  /** Null when the contract does not tell a usable value (0 to 77). */
  decimals: number | null
}
