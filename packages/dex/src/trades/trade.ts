import type { Address, Hex } from '../chain/hex.ts'
import type { Pool } from '../pool.ts'
import { present } from '../present.ts'

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
  /** The account that the pool paid; null if its event does not contain it. */
  recipient: Address | null
  /** V2 kinds: the pool's reserves before the swap, [token0, token1], from its Sync event; else null. */
  reservesBefore: readonly [bigint, bigint] | null
  /** May have used liquidity that its transaction added before and removed after; otherwise absent. */
  isOfJitLiquidity?: true
  /** The transfers do not confirm the amounts in its event; the transferred amounts replace them if there are any. */
  isUnconfirmed?: true
  /** What counts of its amounts, if money went round in its transaction; absent: all. Only for tokens with a price. */
  counted?: CountedAmounts
}

export interface CountedAmounts {
  amountIn: bigint
  amountOut: bigint
}

export interface Leg {
  /** For a native leg: the wrapped coin's address. */
  token: Address
  amount: bigint
  /** The coin itself was paid or received, not its wrapper. */
  native: boolean
}

/** An end of a trade, by its field. */
export type EndSide = 'sell' | 'buy'

/** A path through pools: the hops, what entered the first pools and what left the last ones. */
export interface PoolRoute {
  sell: Leg
  buy: Leg
  hops: readonly Hop[]
  /** Of several routes of a trade: its money passed through another one, too, and counts there. */
  isPassedOn?: true
}

/** A trade through the pools of one route, or of several (`routes`). */
export interface PoolTrade extends PoolRoute {
  routes?: readonly PoolRoute[]
}

/** Amounts of an order, in both of its tokens. */
export type OrderAmounts = Readonly<Record<EndSide, bigint>>

/** How much of an order of a settlement counts. */
interface SettledAmounts {
  /** What hops moved. */
  moved: OrderAmounts
  /** Of what somebody filled out of a stock or venues that are not read. */
  rest: OrderAmounts
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
  /** The account that a settlement or an account contract names; null if none or several are named. */
  settledFor: Address | null
  sell: Leg
  buy: Leg
  /** What entered the route's first pools and left its last ones, if not the legs. It determines the USD value. */
  throughPools?: { sell: Leg; buy: Leg }
  /** The hops stored with this trade, in log order. Each hop of a transaction belongs to one trade. */
  hops: readonly Hop[]
  /**
   * The routes whose values add up to the trade's value, if `throughPools` over `hops` does not give it. There may be
   * several routes, or parts of hops that several trades share. Amounts of a shared hop are this trade's part.
   */
  routes?: readonly PoolRoute[]
  /** A token's contract made it within another trade, to sell the tax that it had collected. */
  byToken: boolean
  /** The trader gave or received a token outside the route, of unknown amount. */
  isPartial: boolean
  /** Ends that no route shows: they count only if their worth is that of the hops (usd/compared-ends.ts). */
  endsToCompare?: readonly EndSide[]
  /** Only of an order of a settlement. */
  settled?: SettledAmounts
  /** Token moves between pools of the whole transaction; only on its first trade. */
  moves?: readonly TokenMove[]
  /** The largest net of each token outside of the pools, of the whole transaction; only on its first trade. */
  outside?: ReadonlyMap<Address, bigint>
}

/** A token that a transaction carried from one pool into another; a trusted one if a pool's payment arrived short. */
export interface TokenMove {
  token: Address
  /** One pool received exactly what another paid out; never true of a trusted token. */
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

/** The bits that exclude a hop's value from prices: all except depegged, partial, old price, closed loop and settlement. */
export const HOP_FLAGS = FLAG_DISAGREEMENT | FLAG_CAPPED | FLAG_JIT_LIQUIDITY | FLAG_AMOUNTS_DIFFER | FLAG_UNCONFIRMED

export interface UsdValue {
  /** USD scaled by 1e8, rounded down; null when unpriced. */
  usdE8: bigint | null
  source: UsdSource | null
  flags: number
}

export type PricedTrade = Trade &
  UsdValue & {
    /** The value through each hop, in USD scaled by 1e8, rounded down; null if unpriced. */
    hopsUsdE8: readonly (bigint | null)[]
    /** Bits of HOP_FLAGS for each hop; absent if no hop has any. */
    hopsFlags?: readonly number[]
    /** The value to use once the tokens' decimals are known, if they could not be read yet. */
    awaited?: UsdValue
  }

/** Returns the flags of a trade's hop. @param index in `hops` */
export function hopFlags({ hopsFlags }: Pick<PricedTrade, 'hopsFlags'>, index: number): number {
  return hopsFlags === undefined ? 0 : present(hopsFlags[index])
}
