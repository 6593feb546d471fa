import type { Address, Hex } from './chain.ts'

/** A kind as written in configurations; `DEX_KINDS` lists all of them. */
export type DexKind = string

/** A function without arguments that returns a pair's fee as a fraction of `denominator`. */
export interface FeeCall {
  function: string
  /** Where to call it: on each pair for its own fee, or on the factory for the fee of all pairs. */
  of: 'pair' | 'factory'
  /** A divisor of a million, so that every fee is a whole number of millionths. */
  denominator: number
}

export interface Dex {
  name: string
  kind: DexKind
  /** The factory, vault or pool manager that verifies pools. */
  factory: Address
  /** Other contracts, by their field in a configuration. */
  contracts?: Readonly<Record<string, Address>>
  /** Uniswap V2 family: the fee in hundredths of a percent (30 = 0.3 %). Null if unknown; then nothing is quoted. */
  feeBps?: number | null
  /** Uniswap V2 family: used instead of `feeBps` for a fee that may change. */
  feeCall?: FeeCall
  /** The block that deployed a pool manager; it has no earlier logs. */
  deploymentBlock?: number
  /** For vaults that accept any contract as a pool: factories that deploy known code. Other pools are not quoted. */
  poolFactories?: readonly Address[]
  /** Contracts whose rates may price a pool's coins. A pool that uses any other is not quoted. */
  rateProviders?: readonly Address[]
}

/** A contract's address. For a pool inside a manager or vault, that contract's address followed by the pool's id. */
export type PoolAddress = Hex

/** A verified pool. The zero address among its tokens means the native coin. */
export interface Pool {
  address: PoolAddress
  dex: Dex
  token0: Address
  token1: Address
  /** In millionths (3000 = 0.3 %); 0 if it varies and the state contains it. */
  fee: number
  /**
   * Null unless the pool has concentrated liquidity. 0 if it may change: swaps then go from one initialised tick to the
   * next, without stops at the ends of bitmap words.
   */
  tickSpacing: number | null
  /** All tokens by the index that events use, for kinds with any number of tokens. */
  coins?: readonly Address[]
  /** Curve metapools: tokens by the index that underlying exchanges use. */
  underlying?: readonly Address[]
  /** A contract that may change amounts and fees of every swap. Its rights decide whether the pool is quoted. */
  hooks?: Address
}

/** Where a pool was created, as the configured contract of its DEX logged it. */
export interface PoolCreation {
  pool: PoolAddress
  blockNumber: number
  /** Of the block, in seconds. */
  timestamp: number
  transactionIndex: number
  txHash: Hex
  /** The account that signed the transaction; null if the chain reports none. */
  creator: Address | null
}

/** The fields of a pool that quotes need. The DEX does not matter, except for its name. */
export type QuotablePool = Omit<Pool, 'dex'> & { protocol?: string }

export function tokensOf({ token0, token1, coins = [], underlying = [] }: Pool): readonly Address[] {
  return coins.length + underlying.length === 0 ? [token0, token1] : [...coins, ...underlying]
}

export function coinsOf({
  token0,
  token1,
  coins,
}: Pick<QuotablePool, 'token0' | 'token1' | 'coins'>): readonly Address[] {
  return coins === undefined || coins.length < 2 ? [token0, token1] : coins
}

export interface Token {
  address: Address
  symbol: string
  name: string
  /** Null if the contract returns no usable value (0 to 77). */
  decimals: number | null
}
