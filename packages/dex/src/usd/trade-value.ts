import { type AnchorPrice, type AnchorPrices, valueE8 } from '../anchor-prices.ts'
import type { Address } from '../chain/hex.ts'
import { present } from '../present.ts'
import { areFar } from '../trades/routes.ts'
import {
  type EndSide,
  FLAG_AMOUNTS_DIFFER,
  FLAG_CAPPED,
  FLAG_DEPEGGED,
  FLAG_DISAGREEMENT,
  FLAG_OLD_PRICE,
  FLAG_PARTIAL,
  FLAG_SETTLEMENT,
  type Hop,
  type PoolRoute,
  type PricedTrade,
  type Trade,
  type UsdSource,
  type UsdValue,
} from '../trades/trade.ts'
import { capAt, countCap, countOf, disagree, hopsOfRoutes, hopValues, marksOf, reserveCap } from './hop-values.ts'

const UNPRICED: UsdValue = { usdE8: null, source: null, flags: 0 }

/** Amounts of anchors that measure the value of a trade; a negative amount went back. */
interface Measure {
  source: UsdSource
  /** `counts`: how much of the amount counts, if that is known apart from it. */
  amounts: readonly { token: Address; amount: bigint; counts: bigint | null; price: AnchorPrice }[]
}

/**
 * Returns the trade with its USD value (docs/internals/usd.md: sources and guards). A trade is `stateable` if both
 * tokens' decimals are known; otherwise it cannot be listed and has no value.
 */
export function priceTrade(trade: Trade, prices: AnchorPrices, stateable: boolean): PricedTrade {
  const { blockNumber, timestamp, transactionIndex, position, txHash, trader, settledFor, sell, buy } = trade
  const routes = trade.routes?.map((route) => ({ ...route, value: routeValue(route, prices) }))
  const parts = routes?.filter(({ isPassedOn }) => !isPassedOn).map((route) => route.value)
  const value =
    parts === undefined ? routeValue({ ...(trade.throughPools ?? trade), hops: trade.hops }, prices) : sumOf(parts)
  const ofHops = isWithoutHops(trade) ? UNPRICED : value
  const ofOrder = orderValue(trade, ofHops, prices)
  const { usdE8, source, flags } = stateable ? (ofOrder ?? ofHops) : UNPRICED
  // The value of a part is not that of the whole.
  const isPartial = trade.isPartial || (usdE8 !== null && parts?.some((part) => part.usdE8 === null) === true)
  const isSettled = ofOrder !== null || isWithoutHops(trade)
  const marks =
    (isPartial ? FLAG_PARTIAL : 0) |
    (amountsDiffer(trade) ? FLAG_AMOUNTS_DIFFER : 0) |
    (isSettled ? FLAG_SETTLEMENT : 0)
  const { hopsUsdE8, hopsFlags } =
    routes === undefined ? hopValues(trade.hops, prices, value) : hopsOfRoutes(trade.hops, prices, routes)
  // Written out: spreading two objects costs more than valuing the trade.
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

/** Returns the sum of the known values, with the source of the first of them; unpriced if no value is known. */
function sumOf(values: readonly UsdValue[]): UsdValue {
  const known = values.filter(({ usdE8 }) => usdE8 !== null)
  if (known.length === 0) return UNPRICED
  return {
    usdE8: known.reduce((sum, { usdE8 }) => sum + present(usdE8), 0n),
    source: known[0]?.source ?? null,
    flags: known.reduce((flags, value) => flags | value.flags, 0),
  }
}

/** Returns whether no hop has a part in a trade, which only a settlement's event reports then. */
function isWithoutHops({ settled, hops, routes }: Trade): boolean {
  return settled !== undefined && hops.length === 0 && routes === undefined
}

/**
 * Returns the value of an order: what its hops moved, and what counts of the rest by the order's own leg. If the value of
 * the hops is not known, the leg values the whole. Null if its hops account for it, or neither token has a price.
 */
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
  const disagreement = disagree(endsOf({ sell, buy }), prices) ? FLAG_DISAGREEMENT : 0
  const { source } = ofHops.usdE8 === null ? measure : ofHops
  const whole = ofHops.usdE8 === null ? usdE8 : usdE8 + ofHops.usdE8
  return { usdE8: whole, source, flags: flags | ofHops.flags | disagreement }
}

function endsOf({ sell, buy }: Pick<PoolRoute, 'sell' | 'buy'>) {
  return { tokenIn: sell.token, amountIn: sell.amount, tokenOut: buy.token, amountOut: buy.amount }
}

function routeValue(trade: PoolRoute, prices: AnchorPrices): UsdValue {
  const measure = measureOf(trade, prices)
  if (measure === null) return UNPRICED
  const value = measuredValue(measure, trade.hops)
  if (value.usdE8 === null) return UNPRICED
  return disagree(endsOf(trade), prices) ? { ...value, flags: value.flags | FLAG_DISAGREEMENT } : value
}

/** Returns the value of what was measured, never more than the pools of hops held or than counts of it. */
function measuredValue(measure: Measure, hops: readonly Hop[]): UsdValue {
  let usdE8 = 0n
  let flags = 0
  for (const { token, amount, counts, price } of measure.amounts) {
    const size = amount < 0n ? -amount : amount
    const capped = capAt(size, hops.length === 0 ? null : reserveCap(hops, token), counts)
    if (capped < size) flags |= FLAG_CAPPED
    if (price.depegged) flags |= FLAG_DEPEGGED
    if (price.isOld) flags |= FLAG_OLD_PRICE
    const value = valueE8(capped, price)
    usdE8 += amount < 0n ? -value : value
  }
  return usdE8 < 0n ? UNPRICED : { usdE8, source: measure.source, flags }
}

function measureOf(trade: PoolRoute, prices: AnchorPrices): Measure | null {
  const stable =
    legMeasure(trade, prices.stablecoins, 'stablecoin') ?? routeMeasure(trade, prices.stablecoins, 'route-stablecoin')
  if (stable !== null) return stable
  return (
    legMeasure(trade, prices.native, 'native') ??
    routeMeasure(trade, prices.native, 'native') ??
    legMeasure(trade, prices.others, 'anchor') ??
    routeMeasure(trade, prices.others, 'anchor')
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
 * Returns what passed into the anchors between the legs, if no branch goes around them. Returns nothing for a single
 * hop. For each anchor this is what came from tokens before the anchors, less what went back to them. What passes from
 * anchor to anchor, also through other tokens, does not count a second time.
 */
function routeMeasure(
  { sell, buy, hops }: PoolRoute,
  anchors: ReadonlyMap<Address, AnchorPrice>,
  source: UsdSource,
): Measure | null {
  if (hops.length < 2 || !hops.some(({ tokenOut }) => anchors.has(tokenOut))) return null
  if (reachedFrom([sell.token], hops, anchors).has(buy.token)) return null
  const bought = new Set(hops.map(({ tokenOut }) => tokenOut))
  // If a part of the route is unknown, another one starts after it.
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

/** Returns the start tokens and all tokens that they lead to without touching an anchor. */
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

/**
 * Returns whether a trade's amounts differ by more than a fifth from what went through its pools: the amount of an end
 * in the same token, or the price of both ends. Dividing one amount by the other, or the value by an amount, does not
 * give the pools' price then.
 */
export function amountsDiffer({ sell, buy, throughPools }: Pick<Trade, 'sell' | 'buy' | 'throughPools'>): boolean {
  if (throughPools === undefined) return false
  const isSold = sell.token === throughPools.sell.token
  const isBought = buy.token === throughPools.buy.token
  if (isSold && areFar(sell.amount, throughPools.sell.amount)) return true
  if (isBought && areFar(buy.amount, throughPools.buy.amount)) return true
  // The two prices, each multiplied by both sold amounts.
  const price = buy.amount * throughPools.sell.amount
  const poolsPrice = throughPools.buy.amount * sell.amount
  return isSold && isBought && areFar(price, poolsPrice)
}

const DIGITS = 8

/** Returns USD scaled by 1e8 as a decimal with exactly eight fractional digits. */
export function usdText(usdE8: bigint): string {
  const digits = (usdE8 < 0n ? -usdE8 : usdE8).toString().padStart(DIGITS + 1, '0')
  return `${usdE8 < 0n ? '-' : ''}${digits.slice(0, -DIGITS)}.${digits.slice(-DIGITS)}`
}

/** The inverse of `usdText`. A sum over no rows has no fraction. */
export function usdE8Of(text: string): bigint {
  const [whole = '0', fraction = ''] = text.split('.')
  if (fraction.length > DIGITS) throw new RangeError(`${text} has more than ${DIGITS} fractional digits`)
  return BigInt(whole + fraction.padEnd(DIGITS, '0'))
}
