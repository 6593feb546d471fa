import { type AnchorPrice, type AnchorPrices, valueE8 } from '../anchor-prices.ts'
import type { Address } from '../chain/hex.ts'
import {
  FLAG_CAPPED,
  FLAG_DISAGREEMENT,
  FLAG_JIT_LIQUIDITY,
  FLAG_UNCONFIRMED,
  type Hop,
  hopFlags,
  type UsdValue,
} from '../trades/trade.ts'

/** Two anchored amounts may differ by this part (1/20) of the larger one. */
const DISAGREEMENT_DIVISOR = 20n
/** Flags that exclude a price derived from a value. */
const DOUBTS = FLAG_DISAGREEMENT | FLAG_CAPPED

export interface HopValues {
  /** USD scaled by 1e8, rounded down; null if unpriced. */
  hopsUsdE8: (bigint | null)[]
  /** Bits of `UsdValue.flags` of each hop; absent if no hop has any. */
  hopsFlags?: number[]
}

/**
 * Returns the value through each hop, in USD scaled by 1e8, never more than a pair held or than counts of it. Uses a
 * stablecoin, else the wrapped coin, else another anchor; on both sides, the token paid in comes first.
 *
 * A hop of two other tokens has the value of its trade if the hops form one line that the whole trade goes through, and
 * otherwise none. A hop is flagged in these cases:
 *
 * 1. It was capped, or its two anchors disagree.
 * 2. It may have used liquidity that its transaction added before and removed after.
 * 3. The transfers do not confirm it.
 * 4. It has the trade's value, and the trade is flagged.
 */
export function hopValues(hops: readonly Hop[], prices: AnchorPrices, trade: Omit<UsdValue, 'source'>): HopValues {
  let isLine: boolean | null = null
  let hopsFlags: number[] | undefined
  const hopsUsdE8 = hops.map((hop, at) => {
    let own = anchorSide(hop, prices)
    if (own === null) {
      isLine ??= isOneLine(hops)
      if (!isLine || trade.usdE8 === null) return null
      own = { usdE8: trade.usdE8, flags: (trade.flags & DOUBTS) | marksOf(hops) }
    }
    const flags = own.flags | marksOf([hop])
    if (flags !== 0) {
      hopsFlags ??= hops.map(() => 0)
      hopsFlags[at] = flags
    }
    return own.usdE8
  })
  return hopsFlags === undefined ? { hopsUsdE8 } : { hopsUsdE8, hopsFlags }
}

/**
 * Like `hopValues`, for a trade of several routes: a hop of two other tokens has the value of its route. If the route
 * holds only a part of the hop, the value is scaled up to the whole hop. `routes` hold at least a part of each hop.
 */
export function hopsOfRoutes(
  hops: readonly Hop[],
  prices: AnchorPrices,
  routes: readonly { hops: readonly Hop[]; value: Omit<UsdValue, 'source'> }[],
): HopValues {
  const parts = new Map<number, { amountIn: bigint; usdE8: bigint | null; flags: number }>()
  for (const { hops: ofRoute, value } of routes) {
    const values = hopValues(ofRoute, prices, value)
    ofRoute.forEach(({ logIndex, amountIn }, at) => {
      parts.set(logIndex, { amountIn, usdE8: values.hopsUsdE8[at] ?? null, flags: hopFlags(values, at) })
    })
  }
  const all = hops.map((hop) => {
    const { amountIn = 0n, usdE8 = null, flags = 0 } = parts.get(hop.logIndex) ?? {}
    const whole = usdE8 === null || amountIn === 0n ? null : (usdE8 * hop.amountIn) / amountIn
    return hopValues([hop], prices, { usdE8: whole, flags })
  })
  const hopsUsdE8 = all.map(({ hopsUsdE8: [usdE8 = null] }) => usdE8)
  const hopsFlags = all.map(({ hopsFlags: [flags = 0] = [] }) => flags)
  return hopsFlags.some((flags) => flags !== 0) ? { hopsUsdE8, hopsFlags } : { hopsUsdE8 }
}

/** Returns flags of hops with liquidity that existed only for their transaction, or that transfers do not confirm. */
export function marksOf(hops: readonly Hop[]): number {
  const jit = hops.some(({ isOfJitLiquidity }) => isOfJitLiquidity) ? FLAG_JIT_LIQUIDITY : 0
  return jit | (hops.some(({ isUnconfirmed }) => isUnconfirmed) ? FLAG_UNCONFIRMED : 0)
}

/** Returns whether the values of two anchor amounts differ too much for both to be right. */
export function disagree(
  { tokenIn, amountIn, tokenOut, amountOut }: Pick<Hop, 'tokenIn' | 'amountIn' | 'tokenOut' | 'amountOut'>,
  prices: AnchorPrices,
): boolean {
  const paid = anchorPrice(tokenIn, prices)
  const bought = anchorPrice(tokenOut, prices)
  if (paid === null || bought === null) return false
  const a = valueE8(amountIn, paid)
  const b = valueE8(amountOut, bought)
  const [larger, smaller] = a > b ? [a, b] : [b, a]
  return (larger - smaller) * DISAGREEMENT_DIVISOR > larger
}

function anchorPrice(token: Address, { native, stablecoins, others }: AnchorPrices): AnchorPrice | null {
  return native.get(token) ?? stablecoins.get(token) ?? others.get(token) ?? null
}

function anchorSide(hop: Hop, prices: AnchorPrices): { usdE8: bigint; flags: number } | null {
  for (const anchors of [prices.stablecoins, prices.native, prices.others]) {
    const token = anchors.has(hop.tokenIn) ? hop.tokenIn : hop.tokenOut
    const price = anchors.get(token)
    if (price === undefined) continue
    const side = token === hop.tokenIn ? 'amountIn' : 'amountOut'
    const amount = capAt(hop[side], reserveCap([hop], token), countOf(hop, side))
    const flags = (amount < hop[side] ? FLAG_CAPPED : 0) | (disagree(hop, prices) ? FLAG_DISAGREEMENT : 0)
    return { usdE8: valueE8(amount, price), flags }
  }
  return null
}

/** Returns what counts of an amount of a hop. */
export function countOf(hop: Hop, side: 'amountIn' | 'amountOut'): bigint {
  return hop.counted?.[side] ?? hop[side]
}

/**
 * Returns how much of a leg in this token the hops count, sold and bought: there and back through one pool share what
 * counts of it. Null if they count in full.
 */
export function countCap(hops: readonly Hop[], token: Address): bigint | null {
  if (!hops.some(({ counted }) => counted !== undefined)) return null
  return hops.reduce((sum, hop) => {
    const sold = hop.tokenIn === token ? countOf(hop, 'amountIn') : 0n
    return sum + sold + (hop.tokenOut === token ? countOf(hop, 'amountOut') : 0n)
  }, 0n)
}

/** Returns the smallest of an amount and the caps that exist. */
export function capAt(amount: bigint, ...caps: readonly (bigint | null)[]): bigint {
  let capped = amount
  for (const cap of caps) if (cap !== null && cap < capped) capped = cap
  return capped
}

/** Each hop sells what the previous one bought, and no token occurs twice. */
function isOneLine(hops: readonly Hop[]): boolean {
  const tokens = new Set(hops.map(({ tokenOut }) => tokenOut))
  if (tokens.size !== hops.length || tokens.has(hops[0]?.tokenIn ?? '0x')) return false
  return hops.every((hop, at) => at === 0 || hops[at - 1]?.tokenOut === hop.tokenIn)
}

/**
 * Returns the most of a token that can have moved: what the pools held before plus what was paid in. Null if one of
 * those pools is not a pair, because only pairs emit their reserves.
 */
export function reserveCap(hops: readonly Hop[], token: Address): bigint | null {
  let cap = 0n
  for (const { pool, tokenIn, tokenOut, amountIn, reservesBefore } of hops) {
    if (tokenIn !== token && tokenOut !== token) continue
    if (reservesBefore === null) return null
    cap += (pool.token0 === token ? reservesBefore[0] : reservesBefore[1]) + (tokenIn === token ? amountIn : 0n)
  }
  return cap
}
