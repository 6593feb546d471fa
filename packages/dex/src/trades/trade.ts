import type { Address, Hex } from '../chain/hex.ts'
import type { Pool } from '../pool.ts'

/** One swap event of one verified pool. Amounts are base units and positive. */
export interface Hop {
  pool: Pool
  logIndex: number
  /** For the native coin: the wrapped coin's address, as for `tokenOut`. */
  tokenIn: Address
  amountIn: bigint
  /** The pool itself took the native coin. */
  nativeIn: boolean
  tokenOut: Address
  amountOut: bigint
  /** The pool itself paid out the native coin. */
  nativeOut: boolean
  /** Whom the pool paid; null where its event does not tell. */
  recipient: Address | null
  /** V2 kinds: the pool's reserves before the swap, [token0, token1], as its Sync event tells; else null. */
  reservesBefore: readonly [bigint, bigint] | null
  /** It may have gone through liquidity that its transaction put in before and took out after; absent where it has not. */
  isOfJitLiquidity?: true
  /** The transfers do not confirm what its event says; its amounts are theirs where they tell any. */
  isUnconfirmed?: true
}

export interface Leg {
  /** For a native leg: the wrapped coin's address. */
  token: Address
  amount: bigint
  /** The coin itself was paid or received, not its wrapper. */
  native: boolean
}

/** What went through some pools: the hops, what entered the first of them and what left the last. */
export interface PoolRoute {
  sell: Leg
  buy: Leg
  hops: readonly Hop[]
}

/** What went through the pools of a route, or of several (`routes`) that are one trade. */
export interface PoolTrade extends PoolRoute {
  routes?: readonly PoolRoute[]
}

/** What one trader did in one transaction: net token sold, net token bought. */
export interface Trade {
  blockNumber: number
  /** Seconds since 1970. */
  timestamp: number
  transactionIndex: number
  /** Ordinal of the trade within its transaction, from 0. */
  position: number
  txHash: Hex
  trader: Address | null
  /** The account that a settlement, or an account's contract, says it acted for; null where none or several are. */
  settledFor: Address | null
  /** What the trader gave and got. */
  sell: Leg
  buy: Leg
  /** What entered the route's first pools and left its last ones, where that differs. The value is theirs. */
  throughPools?: { sell: Leg; buy: Leg }
  /** The hops that are stored with it, in log order: each hop of a transaction with one trade. */
  hops: readonly Hop[]
  /**
   * The routes whose values add up to the trade's, where that is not the value of `throughPools` over `hops`: several
   * routes, or parts of hops that several trades share. Amounts of a shared hop are this trade's part.
   */
  routes?: readonly PoolRoute[]
  /** A token's contract made it within somebody's trade, to sell the tax that it had collected. */
  byToken: boolean
  /** The trader gave or got another token than the route tells, and how much of it is not known. */
  isPartial: boolean
  /** What its transaction tells of tokens between pools; only with the first trade of a transaction. */
  moves?: readonly TokenMove[]
}

/** A token that a transaction carried from one pool into another. */
export interface TokenMove {
  token: Address
  /** One pool took in exactly what another paid out. */
  isWhole: boolean
}

export const USD_SOURCES = ['stablecoin', 'route-stablecoin', 'native', 'anchor'] as const
export type UsdSource = (typeof USD_SOURCES)[number]

/** Bits of `UsdValue.flags`. */
export const FLAG_DEPEGGED = 1
export const FLAG_DISAGREEMENT = 2
export const FLAG_CAPPED = 4
export const FLAG_PARTIAL = 8
export const FLAG_JIT_LIQUIDITY = 16
export const FLAG_AMOUNTS_DIFFER = 32
export const FLAG_OLD_PRICE = 64
export const FLAG_UNCONFIRMED = 128

/** USD value of a trade. */
export interface UsdValue {
  /** USD scaled by 1e8, rounded down; null when unpriced. */
  usdE8: bigint | null
  source: UsdSource | null
  flags: number
}

export type PricedTrade = Trade &
  UsdValue & {
    /** What went through each hop, in USD scaled by 1e8, rounded down; null where nothing tells. */
    hopsUsdE8: readonly (bigint | null)[]
    /** Bits of `flags` that speak against a price by the value of a hop (all but depegged, partial, old price); absent where none has any. */
    hopsFlags?: readonly number[]
    /** What the trade is worth once its tokens' decimals are known, where they could not be asked yet. */
    awaited?: UsdValue
  }
