import { type AnchorPrices, everyAnchor, valueE8 } from '../anchor-prices.ts'
import { isSame } from '../trades/receipt/trade-ends.ts'
import { areFar } from '../trades/routes.ts'
import type { EndSide, PricedTrade, Trade } from '../trades/trade.ts'
import { priceTrade } from './trade-value.ts'

/**
 * Returns a trade whose ends that no route shows (`Trade.endsToCompare`) are worth what its hops moved. An end in a
 * listed token without a price, or of another worth, is replaced by the pools' end, and the trade is partial. A trade
 * over several routes is partial, too, if neither end accounts for its value. Nothing can be compared in a block before
 * which the coin has no price: then the ends stay, and the trade is partial. Rules: docs/internals/trades.md.
 */
export function comparedEnds(trade: Trade, prices: AnchorPrices): Trade {
  const { endsToCompare, ...compared } = trade
  const { throughPools } = compared
  if (endsToCompare === undefined || throughPools === undefined) return trade
  if (prices.native.size === 0) return { ...compared, isPartial: true }
  const priced = priceTrade(compared, prices, true)
  const isWrong = (side: EndSide) =>
    endsToCompare.includes(side) && !isPools(side, compared) && !isWorthHops(side, priced, prices)
  const ends = {
    sell: isWrong('sell') ? throughPools.sell : trade.sell,
    buy: isWrong('buy') ? throughPools.buy : trade.buy,
  }
  const isReplaced = ends.sell !== trade.sell || ends.buy !== trade.buy
  const isOfSeveralRoutes = endsToCompare.some((side) => isPools(side, compared))
  const isOpen = isOfSeveralRoutes && !covers('sell', priced, prices) && !covers('buy', priced, prices)
  const result = { ...compared, ...ends, isPartial: trade.isPartial || isReplaced || isOpen }
  if (isSame(ends.sell, throughPools.sell) && isSame(ends.buy, throughPools.buy)) delete result.throughPools
  return result
}

/** Whether an end is in the token that the pools took or paid there. */
function isPools(side: EndSide, { throughPools, ...ends }: Pick<Trade, EndSide | 'throughPools'>): boolean {
  return throughPools === undefined || ends[side].token === throughPools[side].token
}

/** Returns whether an end in another token is worth what the hops moved for the other end, up to a fifth. */
function isWorthHops(side: EndSide, priced: PricedTrade, prices: AnchorPrices): boolean {
  const other = side === 'sell' ? 'buy' : 'sell'
  const worth = listedWorth(side, priced, prices)
  const moved = isPools(other, priced) ? movedFor(other, priced) : priced.usdE8
  return worth !== null && moved !== null && !areFar(worth, moved)
}

/** Returns the USD value of the whole end in the pools' token, at the price of the hops that took or paid it. */
function movedFor(side: EndSide, priced: PricedTrade): bigint | null {
  const { amount } = priced[side]
  // Its legs are the sums of all routes only if all count.
  const isSum = priced.routes?.every(({ isPassedOn }) => !isPassedOn)
  const pools = isSum === true ? routesWorth(side, priced) : poolsWorth(side, priced)
  return pools === null || pools.amount === 0n ? null : (pools.usdE8 * amount) / pools.amount
}

interface Worth {
  amount: bigint
  usdE8: bigint
}

/** Returns what hops took (paid) of the sold (bought) token, and their value; null if it is not known. */
function poolsWorth(side: EndSide, { hops, hopsUsdE8, [side]: { token } }: PricedTrade): Worth | null {
  const sum: Worth = { amount: 0n, usdE8: 0n }
  for (const [at, { tokenIn, amountIn, tokenOut, amountOut }] of hops.entries()) {
    if (token !== (side === 'sell' ? tokenIn : tokenOut)) continue
    const usdE8 = hopsUsdE8[at] ?? null
    if (usdE8 === null) return null
    sum.amount += side === 'sell' ? amountIn : amountOut
    sum.usdE8 += usdE8
  }
  return sum
}

/** The same for a trade that is worth the sum of its routes: its legs are their sums. */
function routesWorth(side: EndSide, { usdE8, throughPools, ...ends }: PricedTrade): Worth | null {
  return usdE8 === null ? null : { amount: (throughPools ?? ends)[side].amount, usdE8 }
}

function listedWorth(side: EndSide, { [side]: { token, amount } }: PricedTrade, prices: AnchorPrices): bigint | null {
  const price = everyAnchor(prices).get(token)
  return price === undefined ? null : valueE8(amount, price)
}

/** Returns whether an end is worth the trade's value, less at most a fifth. */
function covers(side: EndSide, priced: PricedTrade, prices: AnchorPrices): boolean {
  const worth = isPools(side, priced) ? (poolsWorth(side, priced)?.usdE8 ?? null) : listedWorth(side, priced, prices)
  if (priced.usdE8 === null) return true
  return worth !== null && (worth >= priced.usdE8 || !areFar(worth, priced.usdE8))
}
