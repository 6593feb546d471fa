import type { Address, Hex } from './chain/hex.ts'

/** A protocol's name in configurations; `DEX_KINDS` lists all. */
export type DexKind = string

/** A view function without arguments that returns a pair's swap fee, as a share of `denominator`. */
export interface FeeCall {
  function: string
  /** The contract to call: each pair for its fee, or the factory for the fee of all pairs. */
  of: 'pair' | 'factory'
  /** A divisor of a million, so that every fee is a whole number of millionths. */
  denominator: number
}

/** A deployment of a DEX protocol on one network. */
export interface Dex {
  name: string
  kind: DexKind
  /** Factory, vault or pool manager: the contract that verifies pools. */
  factory: Address
  /** Further contracts of the deployment, by their field in a configuration. */
  contracts?: Readonly<Record<string, Address>>
  /** Uniswap V2 family: the swap fee in hundredths of a percent (30 = 0.3 %); null if unknown, so nothing is quoted. */
  feeBps?: number | null
  /** Uniswap V2 family, instead of `feeBps`: the contract that returns the fee, which may change at any time. */
  feeCall?: FeeCall
  /** Managers of pools: the block that deployed the manager; it has no logs below. */
  deploymentBlock?: number
  /** Vaults that run any contract as a pool: the factories that deploy known code alone. Others' pools are not quoted. */
  poolFactories?: readonly Address[]
  /** Known contracts by whose rates pools price their coins. A pool with any other is not quoted. */
  rateProviders?: readonly Address[]
}

/** A contract's address; for a pool inside a manager or vault, that contract's address followed by the pool's id. */
export type PoolAddress = Hex

/** A verified pool: its configured factory confirms it. The zero address among its tokens is the native coin. */
export interface Pool {
  address: PoolAddress
  dex: Dex
  token0: Address
  token1: Address
  /** Swap fee in millionths (3000 = 0.3 %); 0 if it changes and the state contains it. */
  fee: number
  /**
   * Distance between usable ticks of concentrated liquidity; else null. 0 if it may change: swaps then go from one
   * initialised tick to the next, without stops at the ends of bitmap words.
   */
  tickSpacing: number | null
  /** Kinds whose pools hold any number of tokens: all tokens, by the index that events use. */
  coins?: readonly Address[]
  /** Curve metapools: the underlying tokens, by the index that underlying exchanges use. */
  underlying?: readonly Address[]
  /** A contract that may change amounts and fees of every swap. Its rights decide whether the pool is quoted. */
  hooks?: Address
}

/** What a quote needs to know about a pool. Its DEX does not matter; the name of it can be reported. */
export type QuotablePool = Omit<Pool, 'dex'> & { protocol?: string }

/** Returns every token that a pool exchanges. */
export function tokensOf({ token0, token1, coins = [], underlying = [] }: Pool): readonly Address[] {
  return coins.length + underlying.length === 0 ? [token0, token1] : [...coins, ...underlying]
}

/** Returns a pool's coins as formulas number them. */
export function coinsOf({ token0, token1, coins }: QuotablePool): readonly Address[] {
  return coins === undefined || coins.length < 2 ? [token0, token1] : coins
}

/** What a token contract reports about itself. */
export interface Token {
  address: Address
  symbol: string
  name: string
  /** Null if the contract does not return a usable value (0 to 77). */
  decimals: number | null
}
