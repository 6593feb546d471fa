import type { Address, Hex } from './chain/hex.ts'

/** As in configurations; `DEX_KINDS` lists all. */
export type DexKind = string

/** A function without arguments that returns a pair's fee, as a share of `denominator`. */
export interface FeeCall {
  function: string
  /** Each pair for its fee, or the factory for the fee of all. */
  of: 'pair' | 'factory'
  /** A divisor of a million, so that every fee is whole millionths. */
  denominator: number
}

export interface Dex {
  name: string
  kind: DexKind
  /** Factory, vault or pool manager: it verifies pools. */
  factory: Address
  /** Further contracts, by their field in a configuration. */
  contracts?: Readonly<Record<string, Address>>
  /** Uniswap V2 family: in hundredths of a percent (30 = 0.3 %); null: unknown, nothing is quoted. */
  feeBps?: number | null
  /** Uniswap V2 family, instead of `feeBps`: returns a fee that may change. */
  feeCall?: FeeCall
  /** The block that deployed a manager of pools, which has no logs below. */
  deploymentBlock?: number
  /** Vaults that run any contract as a pool: the factories that deploy known code. Others' pools are not quoted. */
  poolFactories?: readonly Address[]
  /** Contracts by whose rates pools price their coins. A pool with any other is not quoted. */
  rateProviders?: readonly Address[]
}

/** A contract's address; inside a manager or vault, that contract's, followed by the pool's id. */
export type PoolAddress = Hex

/** A verified pool. The zero address among its tokens is the native coin. */
export interface Pool {
  address: PoolAddress
  dex: Dex
  token0: Address
  token1: Address
  /** In millionths (3000 = 0.3 %); 0 if it changes and the state contains it. */
  fee: number
  /**
   * Of concentrated liquidity, else null. 0 if it may change: swaps then go from one initialised tick to the next,
   * without stops at the ends of bitmap words.
   */
  tickSpacing: number | null
  /** All tokens, by the index that events use, of kinds with any number. */
  coins?: readonly Address[]
  /** Curve metapools: by the index that underlying exchanges use. */
  underlying?: readonly Address[]
  /** It may change amounts and fees of every swap. Its rights decide whether the pool is quoted. */
  hooks?: Address
}

/** What a quote needs to know. The DEX does not matter; its name can be reported. */
export type QuotablePool = Omit<Pool, 'dex'> & { protocol?: string }

/** Returns every token that a pool exchanges. */
export function tokensOf({ token0, token1, coins = [], underlying = [] }: Pool): readonly Address[] {
  return coins.length + underlying.length === 0 ? [token0, token1] : [...coins, ...underlying]
}

/** Returns a pool's coins as formulas number them. */
export function coinsOf({ token0, token1, coins }: QuotablePool): readonly Address[] {
  return coins === undefined || coins.length < 2 ? [token0, token1] : coins
}

export interface Token {
  address: Address
  symbol: string
  name: string
  /** Null without a usable value (0 to 77). */
  decimals: number | null
}
