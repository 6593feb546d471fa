import { type AnchorPrice, type AnchorPrices, valueE8 } from '../anchor-prices.ts'
import type { Address } from '../chain.ts'
import { absolute, larger } from '../maths/integers.ts'
import { present } from '../present.ts'
import { differByFifth } from '../trades/routes.ts'
import {
  type EndSide,
  FLAG_AMOUNTS_DIFFER,
  FLAG_CAPPED,
  FLAG_DEPEGGED,
  FLAG_DISAGREEMENT,
  FLAG_JIT_LIQUIDITY,
  FLAG_OLD_PRICE,
  FLAG_PARTIAL,
  FLAG_SETTLEMENT,
  FLAG_UNCONFIRMED,
  type Hop,
  hopFlags,
  type PoolRoute,
  type PricedTrade,
  type Trade,
  type UsdSource,
  type UsdValue,
} from '../trades/trade.ts'

const UNPRICED: UsdValue = { usdE8: null, source: null, flags: 0 }

/**
 * Returns the trade with its USD value (docs/internals/usd.md). The value is null unless both tokens' decimals are
 * known (`stateable`).
 */
export function priceTrade(trade: Trade, prices: AnchorPrices, stateable: boolean): PricedTrade {
  const { blockNumber, timestamp, transactionIndex, position, txHash, trader, settledFor, sell, buy } = trade
  const routes = trade.routes?.map((route) => ({ ...route, value: routeValue(route, prices) }))
  const through = trade.throughPools ?? trade
  const parts = routes?.filter(({ isPassedOn }) => !isPassedOn).map((route) => route.value)
  const value =
    parts === undefined ? routeValue({ sell: through.sell, buy: through.buy, hops: trade.hops }, prices) : sumOf(parts)
  const ofHops = isWithoutHops(trade) ? UNPRICED : value
  const ofOrder = orderValue(trade, ofHops, prices)
  const { usdE8, source, flags } = stateable ? (ofOrder ?? ofHops) : UNPRICED
  // The value of some parts is not the value of the whole.
  const isPartial = trade.isPartial || (usdE8 !== null && parts?.some((part) => part.usdE8 === null) === true)
  const isSettled = ofOrder !== null || isWithoutHops(trade)
  const marks =
    (isPartial ? FLAG_PARTIAL : 0) |
    (amountsDiffer(trade) ? FLAG_AMOUNTS_DIFFER : 0) |
    (isSettled ? FLAG_SETTLEMENT : 0)
  const { hopsUsdE8, hopsFlags } =
    routes === undefined ? hopValues(trade.hops, prices, value) : hopsOfRoutes(trade.hops, prices, routes)
  // Written out, because spreading two objects costs more than valuing the trade.
  const priced: PricedTrade = {
    blockNumber,
    timestamp,
    transactionIndex,
    position,
    txHash,
    trader,
    settledFor,
    sell,
    buy,
    hops: trade.hops,
    byToken: trade.byToken,
    isPartial: trade.isPartial,
    hopsUsdE8,
    usdE8,
    source,
    flags: flags | marks | marksOf(trade.routes?.flatMap(({ hops }) => hops) ?? trade.hops),
  }
  if (hopsFlags !== undefined) priced.hopsFlags = hopsFlags
  if (trade.throughPools !== undefined) priced.throughPools = trade.throughPools
  if (trade.routes !== undefined) priced.routes = trade.routes
  if (trade.moves !== undefined) priced.moves = trade.moves
  return priced
}

function sumOf(values: readonly UsdValue[]): UsdValue {
  const valued = values.filter(({ usdE8 }) => usdE8 !== null)
  if (valued.length === 0) return UNPRICED
  return {
    usdE8: valued.reduce((sum, { usdE8 }) => sum + present(usdE8), 0n),
    source: valued[0]?.source ?? null,
    flags: valued.reduce((flags, value) => flags | value.flags, 0),
  }
}

function isWithoutHops({ settled, hops, routes }: Trade): boolean {
  return settled !== undefined && hops.length === 0 && routes === undefined
}

function orderValue(trade: Trade, ofHops: UsdValue, prices: AnchorPrices): UsdValue | null {
  const { sell, buy, settled } = trade
  if (settled === undefined) return null
  const { moved, rest } = settled
  const isWhole = ofHops.usdE8 === null
  const counted = (side: EndSide) => (isWhole ? moved[side] + rest[side] : rest[side])
  const order = { sell: { ...sell, amount: counted('sell') }, buy: { ...buy, amount: counted('buy') }, hops: [] }
  const measure = measureOf(order, prices)
  if (measure === null) return null
  const { usdE8, flags } = measuredValue(measure, [])
  if (usdE8 === null || (usdE8 === 0n && !isWithoutHops(trade))) return null
  const disagreement = disagree(sell, buy, prices) ? FLAG_DISAGREEMENT : 0
  const { source } = ofHops.usdE8 === null ? measure : ofHops
  const whole = ofHops.usdE8 === null ? usdE8 : usdE8 + ofHops.usdE8
  return { usdE8: whole, source, flags: flags | ofHops.flags | disagreement }
}

function routeValue(route: PoolRoute, prices: AnchorPrices): UsdValue {
  const measure = measureOf(route, prices)
  if (measure === null) return UNPRICED
  const value = measuredValue(measure, route.hops)
  if (value.usdE8 === null) return UNPRICED
  return disagree(route.sell, route.buy, prices) ? { ...value, flags: value.flags | FLAG_DISAGREEMENT } : value
}

/** Amounts of anchors whose value is the trade's value. Negative amounts went back. */
interface Measure {
  source: UsdSource
  /** `counts` is how much of the amount counts, or null if all of it does. */
  amounts: readonly { token: Address; amount: bigint; counts: bigint | null; price: AnchorPrice }[]
}

function measuredValue(measure: Measure, hops: readonly Hop[]): UsdValue {
  let usdE8 = 0n
  let flags = 0
  for (const { token, amount, counts, price } of measure.amounts) {
    const size = absolute(amount)
    const capped = capAt(size, hops.length === 0 ? null : reserveCap(hops, token), counts)
    if (capped < size) flags |= FLAG_CAPPED
    if (price.depegged) flags |= FLAG_DEPEGGED
    if (price.isOld) flags |= FLAG_OLD_PRICE
    const value = valueE8(capped, price)
    usdE8 += amount < 0n ? -value : value
  }
  return usdE8 < 0n ? UNPRICED : { usdE8, source: measure.source, flags }
}

function measureOf(route: PoolRoute, { stablecoins, native, others }: AnchorPrices): Measure | null {
  return (
    legMeasure(route, stablecoins, 'stablecoin') ??
    routeMeasure(route, stablecoins, 'route-stablecoin') ??
    legMeasure(route, native, 'native') ??
    routeMeasure(route, native, 'native') ??
    legMeasure(route, others, 'anchor') ??
    routeMeasure(route, others, 'anchor')
  )
}

function legMeasure(
  { sell, buy, hops }: PoolRoute,
  anchors: ReadonlyMap<Address, AnchorPrice>,
  source: UsdSource,
): Measure | null {
  const leg = anchors.has(sell.token) ? sell : buy
  const { token, amount } = leg
  const price = anchors.get(token)
  if (price === undefined) return null
  return { source, amounts: [{ token, amount, counts: countCap(hops, token), price }] }
}

/**
 * Returns what passed into the anchors between the legs, minus what went back. Amounts that pass from anchor to anchor
 * count once. Returns null for a single hop, or if a branch bypasses the anchors.
 */
function routeMeasure(
  { sell, buy, hops }: PoolRoute,
  anchors: ReadonlyMap<Address, AnchorPrice>,
  source: UsdSource,
): Measure | null {
  if (hops.length < 2 || !hops.some(({ tokenOut }) => anchors.has(tokenOut))) return null
  if (reachedFrom([sell.token], hops, anchors).has(buy.token)) return null
  const bought = new Set(hops.map(({ tokenOut }) => tokenOut))
  // If part of the route is unknown, another part starts after it.
  const starts = hops.flatMap(({ tokenIn }) => (bought.has(tokenIn) || anchors.has(tokenIn) ? [] : [tokenIn]))
  const before = reachedFrom([sell.token, ...starts], hops, anchors)
  const amounts = hops.flatMap((hop) => {
    const { tokenIn, amountIn, tokenOut, amountOut } = hop
    const from = anchors.get(tokenIn)
    const into = anchors.get(tokenOut)
    if (into !== undefined && before.has(tokenIn)) {
      return [{ token: tokenOut, amount: amountOut, counts: countOf(hop, 'amountOut'), price: into }]
    }
    if (from !== undefined && before.has(tokenOut)) {
      return [{ token: tokenIn, amount: -amountIn, counts: countOf(hop, 'amountIn'), price: from }]
    }
    return []
  })
  return amounts.length === 0 ? null : { source, amounts }
}

function reachedFrom(
  starts: readonly Address[],
  hops: readonly Hop[],
  anchors: ReadonlyMap<Address, AnchorPrice>,
): ReadonlySet<Address> {
  const reached = new Set(starts)
  for (let grown = true; grown; ) {
    grown = false
    for (const { tokenIn, tokenOut } of hops) {
      if (!reached.has(tokenIn) || reached.has(tokenOut) || anchors.has(tokenOut)) continue
      reached.add(tokenOut)
      grown = true
    }
  }
  return reached
}

export function amountsDiffer({ sell, buy, throughPools }: Pick<Trade, 'sell' | 'buy' | 'throughPools'>): boolean {
  if (throughPools === undefined) return false
  const isSold = sell.token === throughPools.sell.token
  const isBought = buy.token === throughPools.buy.token
  if (isSold && differByFifth(sell.amount, throughPools.sell.amount)) return true
  if (isBought && differByFifth(buy.amount, throughPools.buy.amount)) return true
  // Both prices are multiplied by both sold amounts.
  const price = buy.amount * throughPools.sell.amount
  const poolsPrice = throughPools.buy.amount * sell.amount
  return isSold && isBought && differByFifth(price, poolsPrice)
}

const DISAGREEMENT_DIVISOR = 20n
/** Flags that prevent a price from being derived from a value. */
const DOUBTS = FLAG_DISAGREEMENT | FLAG_CAPPED

interface HopValues {
  hopsUsdE8: (bigint | null)[]
  hopsFlags?: number[]
}

/** Returns the value through each hop, in USD scaled by 1e8 (docs/internals/usd.md, "Hops"). */
export function hopValues(hops: readonly Hop[], prices: AnchorPrices, trade: Omit<UsdValue, 'source'>): HopValues {
  let isLine: boolean | null = null
  let hopsFlags: number[] | undefined
  const hopsUsdE8 = hops.map((hop, index) => {
    let value = anchorSide(hop, prices)
    if (value === null) {
      isLine ??= isOneLine(hops)
      if (!isLine || trade.usdE8 === null) return null
      value = { usdE8: trade.usdE8, flags: (trade.flags & DOUBTS) | marksOf(hops) }
    }
    const flags = value.flags | marksOf([hop])
    if (flags !== 0) {
      hopsFlags ??= hops.map(() => 0)
      hopsFlags[index] = flags
    }
    return value.usdE8
  })
  return hopsFlags === undefined ? { hopsUsdE8 } : { hopsUsdE8, hopsFlags }
}

/** Routes may contain only a part of a hop, so their values are scaled up to the whole hop. */
function hopsOfRoutes(
  hops: readonly Hop[],
  prices: AnchorPrices,
  routes: readonly { hops: readonly Hop[]; value: Omit<UsdValue, 'source'> }[],
): HopValues {
  const parts = new Map<number, { amountIn: bigint; usdE8: bigint | null; flags: number }>()
  for (const { hops: ofRoute, value } of routes) {
    const values = hopValues(ofRoute, prices, value)
    ofRoute.forEach(({ logIndex, amountIn }, index) => {
      parts.set(logIndex, { amountIn, usdE8: values.hopsUsdE8[index] ?? null, flags: hopFlags(values, index) })
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

function marksOf(hops: readonly Hop[]): number {
  const jit = hops.some(({ isOfJitLiquidity }) => isOfJitLiquidity) ? FLAG_JIT_LIQUIDITY : 0
  return jit | (hops.some(({ isUnconfirmed }) => isUnconfirmed) ? FLAG_UNCONFIRMED : 0)
}

type TokenAmount = Readonly<{ token: Address; amount: bigint }>

function disagree(sold: TokenAmount, bought: TokenAmount, prices: AnchorPrices): boolean {
  const paid = anchorPrice(sold.token, prices)
  const got = anchorPrice(bought.token, prices)
  if (paid === null || got === null) return false
  const a = valueE8(sold.amount, paid)
  const b = valueE8(bought.amount, got)
  return absolute(a - b) * DISAGREEMENT_DIVISOR > larger(a, b)
}

function anchorPrice(token: Address, { native, stablecoins, others }: AnchorPrices): AnchorPrice | null {
  return native.get(token) ?? stablecoins.get(token) ?? others.get(token) ?? null
}

function anchorSide(hop: Hop, prices: AnchorPrices): { usdE8: bigint; flags: number } | null {
  const sold = { token: hop.tokenIn, amount: hop.amountIn }
  const bought = { token: hop.tokenOut, amount: hop.amountOut }
  for (const anchors of [prices.stablecoins, prices.native, prices.others]) {
    const token = anchors.has(hop.tokenIn) ? hop.tokenIn : hop.tokenOut
    const price = anchors.get(token)
    if (price === undefined) continue
    const side = token === hop.tokenIn ? 'amountIn' : 'amountOut'
    const amount = capAt(hop[side], reserveCap([hop], token), countOf(hop, side))
    const flags = (amount < hop[side] ? FLAG_CAPPED : 0) | (disagree(sold, bought, prices) ? FLAG_DISAGREEMENT : 0)
    return { usdE8: valueE8(amount, price), flags }
  }
  return null
}

function countOf(hop: Hop, side: 'amountIn' | 'amountOut'): bigint {
  return hop.counted?.[side] ?? hop[side]
}

/**
 * Returns how much of a leg's token the hops count, sold and bought together: a trip there and back through one pool
 * shares the amount that counts. Returns null if everything counts.
 */
function countCap(hops: readonly Hop[], token: Address): bigint | null {
  if (!hops.some(({ counted }) => counted !== undefined)) return null
  return hops.reduce((sum, hop) => {
    const sold = hop.tokenIn === token ? countOf(hop, 'amountIn') : 0n
    return sum + sold + (hop.tokenOut === token ? countOf(hop, 'amountOut') : 0n)
  }, 0n)
}

function capAt(amount: bigint, ...caps: readonly (bigint | null)[]): bigint {
  let capped = amount
  for (const cap of caps) if (cap !== null && cap < capped) capped = cap
  return capped
}

function isOneLine(hops: readonly Hop[]): boolean {
  const tokens = new Set(hops.map(({ tokenOut }) => tokenOut))
  if (tokens.size !== hops.length || tokens.has(hops[0]?.tokenIn ?? '0x')) return false
  return hops.every((hop, index) => index === 0 || hops[index - 1]?.tokenOut === hop.tokenIn)
}

/**
 * Returns the most of a token that the hops can have moved: what their pools held plus what was paid in. Null unless all
 * pools are pairs, because only pairs emit their reserves.
 */
function reserveCap(hops: readonly Hop[], token: Address): bigint | null {
  let cap = 0n
  for (const { pool, tokenIn, tokenOut, amountIn, reservesBefore } of hops) {
    if (tokenIn !== token && tokenOut !== token) continue
    if (reservesBefore === null) return null
    cap += (pool.token0 === token ? reservesBefore[0] : reservesBefore[1]) + (tokenIn === token ? amountIn : 0n)
  }
  return cap
}
