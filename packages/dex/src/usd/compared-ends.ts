import { type AnchorPrices, everyAnchor, valueE8 } from '../anchor-prices.ts'
import type { Address } from '../chain.ts'
import { isHalfOf } from '../trades/receipt/trade-accounts.ts'
import { isSame } from '../trades/receipt/trade-ends.ts'
import { differByFifth } from '../trades/routes.ts'
import { END_SIDES, type EndSide, type PricedTrade, type Trade } from '../trades/trade.ts'
import { priceTrade } from './trade-value.ts'

/** Returns null if the token has no decimals, undefined if they have not been read yet. */
export type DecimalsOf = (token: Address) => number | null | undefined

/**
 * Returns the trade with only those ends that routes show, or that are worth what its hops moved
 * (`Trade.endsToCompare`). Other ends, and wrappers whose decimals differ from the pools' token, are replaced by the
 * pools' ends, and the trade becomes partial. Rules: docs/internals/trades.md, "Ends that no pool touched". An account that
 * only ends of little worth show (`Trade.accountEnds`) is left out, with its amounts.
 *
 * Returns null for an order without hops if what it sold is not worth the coins that somebody unwrapped.
 */
export function comparedEnds(made: Trade, prices: AnchorPrices, decimalsOf: DecimalsOf): Trade | null {
  const { accountEnds, ...trade } = made
  if (trade.throughPools === undefined && trade.endsToCompare !== undefined) return paidInCoins(trade, prices)
  if (accountEnds === undefined) return replacedEnds(made, prices, decimalsOf)
  const compared = replacedEnds(trade, prices, decimalsOf)
  if (isWorthHalf(accountEnds, trade, prices)) return compared
  const { throughPools, ...row } = compared
  return { ...row, ...throughPools, settledFor: null }
}

function paidInCoins({ endsToCompare: _, ...order }: Trade, prices: AnchorPrices): Trade | null {
  if (prices.native.size === 0) return order
  const sold = listedWorth('sell', order, prices)
  const coins = listedWorth('buy', order, prices)
  return sold === null || coins === null || differByFifth(sold, coins) ? null : order
}

function replacedEnds(trade: Trade, prices: AnchorPrices, decimalsOf: DecimalsOf): Trade {
  const { throughPools } = trade
  if (throughPools === undefined) return trade
  const { endsToCompare = [], ...compared } = trade
  const isCounterfeit = (side: EndSide) =>
    !endsToCompare.includes(side) && hasOtherDecimals(side, trade, throughPools, decimalsOf)
  const isUnpriced = prices.native.size === 0
  const priced = endsToCompare.length === 0 || isUnpriced ? null : priceTrade(compared, prices, true)
  const isUnequal = (side: EndSide) =>
    priced !== null && endsToCompare.includes(side) && !isPools(side, compared) && !isWorthHops(side, priced, prices)
  const sell = isCounterfeit('sell') || isUnequal('sell') ? throughPools.sell : trade.sell
  const buy = isCounterfeit('buy') || isUnequal('buy') ? throughPools.buy : trade.buy
  const isReplaced = sell !== trade.sell || buy !== trade.buy
  if (endsToCompare.length === 0 && !isReplaced) return trade
  const isOfSeveralRoutes = endsToCompare.some((side) => isPools(side, compared))
  const isOpen =
    priced !== null && isOfSeveralRoutes && !(covers('sell', priced, prices) && covers('buy', priced, prices))
  const result = { ...compared, sell, buy, isPartial: trade.isPartial || isReplaced || isOpen || isUnpriced }
  if (isSame(sell, throughPools.sell) && isSame(buy, throughPools.buy)) delete result.throughPools
  return result
}

/** Returns whether one of the ends is worth at least half of what went through the pools. */
function isWorthHalf(ends: readonly EndSide[], trade: Trade, prices: AnchorPrices): boolean {
  const { throughPools = trade } = trade
  const { usdE8 } = priceTrade(trade, prices, true)
  // A pool that money went through twice counts less.
  const whole = [usdE8, ...END_SIDES.map((side) => listedWorth(side, throughPools, prices))]
  return ends.some((side) => {
    const worth = listedWorth(side, isPools(side, trade) ? throughPools : trade, prices)
    return worth !== null && whole.every((other) => other === null || isHalfOf(worth, other))
  })
}

function hasOtherDecimals(
  side: EndSide,
  { [side]: end }: Trade,
  { [side]: pools }: Pick<Trade, EndSide>,
  decimalsOf: DecimalsOf,
): boolean {
  if (end.token === pools.token || differByFifth(end.amount, pools.amount)) return false
  const decimals = decimalsOf(end.token)
  const expected = decimalsOf(pools.token)
  return decimals !== undefined && expected !== undefined && decimals !== expected
}

function isPools(side: EndSide, { throughPools, ...ends }: Pick<Trade, EndSide | 'throughPools'>): boolean {
  return throughPools === undefined || ends[side].token === throughPools[side].token
}

function isWorthHops(side: EndSide, priced: PricedTrade, prices: AnchorPrices): boolean {
  const other = side === 'sell' ? 'buy' : 'sell'
  const worth = listedWorth(side, priced, prices)
  const moved = isPools(other, priced) ? movedFor(other, priced) : priced.usdE8
  return worth !== null && moved !== null && !differByFifth(worth, moved)
}

function movedFor(side: EndSide, priced: PricedTrade): bigint | null {
  const { amount } = priced[side]
  // The legs are the sums of the routes only if all routes count.
  const isSum = priced.routes?.every(({ isPassedOn }) => !isPassedOn) === true
  const pools = isSum ? routesWorth(side, priced) : poolsWorth(side, priced)
  return pools === null || pools.amount === 0n ? null : (pools.usdE8 * amount) / pools.amount
}

interface Worth {
  amount: bigint
  usdE8: bigint
}

/** Returns how much the hops took (or paid) of an end's token, and its value; null if that is unknown. */
function poolsWorth(side: EndSide, { hops, hopsUsdE8, [side]: { token } }: PricedTrade): Worth | null {
  const sum: Worth = { amount: 0n, usdE8: 0n }
  for (const [index, { tokenIn, amountIn, tokenOut, amountOut }] of hops.entries()) {
    if (token !== (side === 'sell' ? tokenIn : tokenOut)) continue
    const usdE8 = hopsUsdE8[index] ?? null
    if (usdE8 === null) return null
    sum.amount += side === 'sell' ? amountIn : amountOut
    sum.usdE8 += usdE8
  }
  return sum
}

function routesWorth(side: EndSide, { usdE8, throughPools, ...ends }: PricedTrade): Worth | null {
  return usdE8 === null ? null : { amount: (throughPools ?? ends)[side].amount, usdE8 }
}

function listedWorth(
  side: EndSide,
  { [side]: { token, amount } }: Pick<Trade, EndSide>,
  prices: AnchorPrices,
): bigint | null {
  const price = everyAnchor(prices).get(token)
  return price === undefined ? null : valueE8(amount, price)
}

function covers(side: EndSide, priced: PricedTrade, prices: AnchorPrices): boolean {
  const worth = isPools(side, priced) ? (poolsWorth(side, priced)?.usdE8 ?? null) : listedWorth(side, priced, prices)
  if (priced.usdE8 === null) return true
  return worth !== null && (worth >= priced.usdE8 || !differByFifth(worth, priced.usdE8))
}
