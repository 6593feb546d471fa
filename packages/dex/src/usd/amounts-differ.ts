import { areFar } from '../trades/far-amounts.ts'
import type { Trade } from '../trades/trade.ts'

/**
 * Whether a trade's amounts are more than a fifth off what went through its pools: the amount of an end in the same
 * token, or the price that both ends make. Dividing one amount by the other, or the value by an amount, does not give
 * the pools' price then.
 */
export function amountsDiffer({ sell, buy, throughPools }: Pick<Trade, 'sell' | 'buy' | 'throughPools'>): boolean {
  if (throughPools === undefined) return false
  const isSold = sell.token === throughPools.sell.token
  const isBought = buy.token === throughPools.buy.token
  if (isSold && areFar(sell.amount, throughPools.sell.amount)) return true
  if (isBought && areFar(buy.amount, throughPools.buy.amount)) return true
  // The two prices, each multiplied by both sold amounts.
  const [price, poolsPrice] = [buy.amount * throughPools.sell.amount, throughPools.buy.amount * sell.amount]
  return isSold && isBought && areFar(price, poolsPrice)
}
