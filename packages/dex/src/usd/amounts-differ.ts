import type { Leg, Trade } from '../trades/trade.ts'

/** Two amounts differ by a fifth where the larger one is more than 6/5 of the smaller one. */
const [MOST_TOP, MOST_BOTTOM] = [6n, 5n]

/**
 * Whether a trade's amounts are more than a fifth off what went through its pools: the amount of an end in the same
 * token, or the price that both ends make. Dividing one amount by the other, or the value by an amount, does not give
 * the pools' price then.
 */
export function amountsDiffer({ sell, buy, throughPools }: Pick<Trade, 'sell' | 'buy' | 'throughPools'>): boolean {
  if (throughPools === undefined) return false
  const isSold = sell.token === throughPools.sell.token
  const isBought = buy.token === throughPools.buy.token
  if (isSold && areFar(sell, throughPools.sell)) return true
  if (isBought && areFar(buy, throughPools.buy)) return true
  // The two prices, each multiplied by both sold amounts.
  const [price, poolsPrice] = [buy.amount * throughPools.sell.amount, throughPools.buy.amount * sell.amount]
  return isSold && isBought && isFar(price, poolsPrice)
}

function areFar(a: Leg, b: Leg): boolean {
  return isFar(a.amount, b.amount)
}

function isFar(a: bigint, b: bigint): boolean {
  const [larger, smaller] = a > b ? [a, b] : [b, a]
  return larger * MOST_BOTTOM > smaller * MOST_TOP
}
