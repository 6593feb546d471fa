import type { Address, Hex } from '../chain/hex.ts'
import type { Pool } from '../pool.ts'
import { present } from '../present.ts'

/** One swap event of one verified pool. Amounts are base units and positive. */
export interface Hop {
  pool: Pool
  logIndex: number
  /** For the native coin: the wrapped coin's address. */
  tokenIn: Address
  amountIn: bigint
  /** The pool took the coin itself. */
  nativeIn: boolean
  tokenOut: Address
  amountOut: bigint
  /** The pool paid the coin itself. */
  nativeOut: boolean
  /** The account that the pool paid; null if the event does not tell. */
  recipient: Address | null
  /** V2 kinds: [token0, token1] before the swap, from the Sync event; else null. */
  reservesBefore: readonly [bigint, bigint] | null
  /** May have used liquidity that its transaction added before and removed after. */
  isOfJitLiquidity?: true
  /** Transfers do not confirm the event; where they show amounts, the hop has those instead. */
  isUnconfirmed?: true
  /** The amounts that count if the transaction moved money in a circle; absent: all of them. */
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
  /** The coin itself, not its wrapper. */
  native: boolean
}

/** The ends of a trade, by field. */
export const END_SIDES = ['sell', 'buy'] as const
export type EndSide = (typeof END_SIDES)[number]

/** A path through pools: its hops, what entered the first pools and what left the last ones. */
export interface PoolRoute {
  sell: Leg
  buy: Leg
  hops: readonly Hop[]
  /** Its money counts in another route of the trade. */
  isPassedOn?: true
}

/** A trade through one route, or several (`routes`). */
export interface PoolTrade extends PoolRoute {
  routes?: readonly PoolRoute[]
}

/** An order's amounts, in both of its tokens. */
export type OrderAmounts = Readonly<Record<EndSide, bigint>>

/** Who gave what an order of a settlement sold, and the log that tells it. */
export interface PlacedOrder {
  owner: Address
  logIndex: number
}

/** What counts of an order of a settlement. */
interface SettledAmounts {
  moved: OrderAmounts
  /** Filled out of a stock, by other orders or over venues that are not read. */
  rest: OrderAmounts
}

/** What one trader did in one transaction. */
export interface Trade {
  blockNumber: number
  /** Seconds since 1970. */
  timestamp: number
  transactionIndex: number
  /** Ordinal within its transaction, from 0. */
  position: number
  txHash: Hex
  trader: Address | null
  /** The account that a settlement or an account contract names; null if none or several. */
  settledFor: Address | null
  sell: Leg
  buy: Leg
  /** What the pools took and paid, if not the legs. It determines the USD value. */
  throughPools?: { sell: Leg; buy: Leg }
  /** In log order. Each hop of a transaction belongs to one trade. */
  hops: readonly Hop[]
  /** Several routes, or parts of hops that several trades share: the value is the sum over these. */
  routes?: readonly PoolRoute[]
  /** A token's contract sold the tax that it had collected. */
  byToken: boolean
  /** The trader gave or got another token of unknown worth, or the ends cannot be compared with the hops. */
  isPartial: boolean
  /** Ends that no route shows: they count only if they are worth what the hops moved (`comparedEnds`). */
  endsToCompare?: readonly EndSide[]
  /** Only of an order of a settlement. */
  settled?: SettledAmounts
  /** Of the whole transaction; only on its first trade. */
  moves?: readonly TokenMove[]
  /** The largest net of each token outside of the pools; like `moves`, only on the first trade. */
  outside?: ReadonlyMap<Address, bigint>
}

/** A token that was carried from one pool into another; a trusted one only if it arrived short. */
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

/** The bits that exclude a hop's value from prices. */
export const HOP_FLAGS = FLAG_DISAGREEMENT | FLAG_CAPPED | FLAG_JIT_LIQUIDITY | FLAG_AMOUNTS_DIFFER | FLAG_UNCONFIRMED

export interface UsdValue {
  /** USD scaled by 1e8, rounded down; null when unpriced. */
  usdE8: bigint | null
  source: UsdSource | null
  flags: number
}

export type PricedTrade = Trade &
  UsdValue & {
    /** USD scaled by 1e8, rounded down, through each hop; null if unpriced. */
    hopsUsdE8: readonly (bigint | null)[]
    /** Bits of HOP_FLAGS; absent if no hop has any. */
    hopsFlags?: readonly number[]
    /** The value once the tokens' decimals are known, if they could not be read yet. */
    awaited?: UsdValue
  }

/** Returns the flags of a trade's hop. @param index in `hops` */
export function hopFlags({ hopsFlags }: Pick<PricedTrade, 'hopsFlags'>, index: number): number {
  return hopsFlags === undefined ? 0 : present(hopsFlags[index])
}
