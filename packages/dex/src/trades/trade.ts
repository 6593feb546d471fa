import type { Address, Hex } from '../chain.ts'
import type { Pool } from '../pool.ts'
import { present } from '../present.ts'

/** A swap event of a verified pool. Amounts are positive, in base units. */
export interface Hop {
  pool: Pool
  logIndex: number
  /** The wrapper's address if the pool took the native coin. */
  tokenIn: Address
  amountIn: bigint
  nativeIn: boolean
  tokenOut: Address
  amountOut: bigint
  nativeOut: boolean
  /** The account that the pool paid, or null if the event does not name it. */
  recipient: Address | null
  /** For V2 kinds, [token0, token1] before the swap, from the Sync event; otherwise null. */
  reservesBefore: readonly [bigint, bigint] | null
  /** The swap may have used liquidity that its transaction added before and removed after. */
  isOfJitLiquidity?: true
  /** Transfers do not confirm the event. Where they show other amounts, the hop has those. */
  isUnconfirmed?: true
  /** The amounts that count if the transaction moved money in a circle. If absent, everything counts. */
  counted?: CountedAmounts
}

export interface CountedAmounts {
  amountIn: bigint
  amountOut: bigint
}

export interface Leg {
  /** The wrapper's address if the leg is native. */
  token: Address
  amount: bigint
  /** The leg is the coin itself, not its wrapper. */
  native: boolean
}

export const END_SIDES = ['sell', 'buy'] as const
export type EndSide = (typeof END_SIDES)[number]

/** A path through pools: its hops, what entered the first pools, and what left the last ones. */
export interface PoolRoute {
  sell: Leg
  buy: Leg
  hops: readonly Hop[]
  /** The money already counts in another route of the trade. */
  isPassedOn?: true
}

export interface PoolTrade extends PoolRoute {
  routes?: readonly PoolRoute[]
}

export type OrderAmounts = Readonly<Record<EndSide, bigint>>

/** The owner whose tokens a settlement order sold, and the log that reports the order. */
export interface PlacedOrder {
  owner: Address
  logIndex: number
}

interface SettledAmounts {
  moved: OrderAmounts
  /** Filled from a stock, by other orders, or through venues that are not indexed. */
  rest: OrderAmounts
}

/** What one trader did in one transaction. */
export interface Trade {
  blockNumber: number
  /** In seconds since 1970. */
  timestamp: number
  transactionIndex: number
  /** Index within the transaction, from 0. */
  position: number
  txHash: Hex
  trader: Address | null
  /** The account that a settlement or an account contract names, or null if there is none or several. */
  settledFor: Address | null
  sell: Leg
  buy: Leg
  /** What the pools took and paid, if it differs from the legs. It determines the USD value. */
  throughPools?: { sell: Leg; buy: Leg }
  /** In log order. Each hop of a transaction belongs to exactly one trade. */
  hops: readonly Hop[]
  /** Set if the trade has several routes or shares hops with other trades. Its value is the sum over them. */
  routes?: readonly PoolRoute[]
  /** A token's contract sold the tax that it had collected. */
  byToken: boolean
  /** The trader also gave or received a token of unknown worth, or the ends cannot be compared with the hops. */
  isPartial: boolean
  /** Ends that no route shows. They count only if they are worth what the hops moved (`comparedEnds`). */
  endsToCompare?: readonly EndSide[]
  /** Set if not both ends show `settledFor`: one of these must be worth half of the trade (`comparedEnds`). */
  accountEnds?: readonly EndSide[]
  /** Set only for settlement orders. */
  settled?: SettledAmounts
  /** The moves of the whole transaction; set only on its first trade. */
  moves?: readonly TokenMove[]
  /** The size of each token's largest net outside the pools; set only on the first trade of a transaction. */
  outside?: ReadonlyMap<Address, bigint>
}

/** A token that was carried from one pool into another. A trusted token is listed only if it arrived short. */
export interface TokenMove {
  token: Address
  /** One pool received exactly what another paid out. */
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
export const FLAG_CLOSED_LOOP = 256
export const FLAG_SETTLEMENT = 512

/** Flags that exclude a hop's value from prices. */
export const HOP_FLAGS = FLAG_DISAGREEMENT | FLAG_CAPPED | FLAG_JIT_LIQUIDITY | FLAG_AMOUNTS_DIFFER | FLAG_UNCONFIRMED

export interface UsdValue {
  /** USD scaled by 1e8, rounded down; null if unpriced. */
  usdE8: bigint | null
  source: UsdSource | null
  flags: number
}

export type PricedTrade = Trade &
  UsdValue & {
    /** USD value through each hop, scaled by 1e8 and rounded down; null if unpriced. */
    hopsUsdE8: readonly (bigint | null)[]
    /** The flags of each hop (bits of `HOP_FLAGS`); absent if no hop has any. */
    hopsFlags?: readonly number[]
    /** The value once the tokens' decimals are known; set if they could not be read yet. */
    awaited?: UsdValue
  }

export function hopFlags({ hopsFlags }: Pick<PricedTrade, 'hopsFlags'>, index: number): number {
  return hopsFlags === undefined ? 0 : present(hopsFlags[index])
}
