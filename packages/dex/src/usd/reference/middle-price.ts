import type { Address } from '../../chain/hex.ts'
import { USD } from '../anchor-prices.ts'

export interface MiddlePrice {
  /** USD per whole token, scaled by 1e18. */
  price: bigint
  /** All of the money, in USD scaled by 1e18. */
  money: bigint
  /** Most of the money stands in pools that told their last price long ago. */
  isOld: boolean
}

/**
 * The price in the middle of the money: its mean over the middle fifth of what stands in the pools within 2 % of their
 * prices, in the order of these, rounded down. Null: there is none.
 *
 * Tokens count at their pool's price, but at most at the one up to which there is as much as above: what is offered at a
 * thousand times the price is worth no more for that.
 */
export function middlePrice(rates: readonly SettledRate[]): MiddlePrice | null {
  const sorted = rates
    .filter(({ bid, ask }) => bid > 0n || ask > 0n)
    .sort((a, b) => (a.price < b.price ? -1 : a.price > b.price ? 1 : 0))
  const market = marketPrice(sorted)
  const weighed = sorted.map(({ price, bid, ask, isOld }) => {
    return { price, isOld, money: bid + (ask * (price < market ? price : market)) / USD }
  })
  const total = weighed.reduce((sum, { money }) => sum + money, 0n)
  if (total === 0n) return null
  // In fifths: the middle one begins after 2 of the total and ends at 3, so that as much as the total lies within.
  let [end, sum, old] = [0n, 0n, 0n]
  for (const { price, isOld, money } of weighed) {
    const start = end
    end += 5n * money
    const within = least(end, 3n * total) - most(start, 2n * total)
    if (within > 0n) sum += price * within
    if (isOld) old += money
  }
  return { price: sum / total, money: total, isOld: 2n * old > total }
}

/** The lowest price up to which there is as much money as above, with the tokens above it counted at that price. */
function marketPrice(ascending: readonly SettledRate[]): bigint {
  let [bids, asks] = [0n, 0n]
  for (const { bid, ask } of ascending) {
    bids += bid
    asks += ask
  }
  let below = 0n
  let market = 0n
  for (const { price, bid, ask } of ascending) {
    below += bid + (ask * price) / USD
    bids -= bid
    asks -= ask
    market = price
    if (below >= bids + (asks * price) / USD) break
  }
  return market
}

function least(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}

function most(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}

/** What a pool tells of a token's price. */
export interface PoolRate {
  token: Address
  /** The stablecoin. */
  quote: Address
  /** USD per whole token, scaled by 1e18. */
  price: bigint
  /** USD that the pool pays within 2 % below that price, scaled by 1e18. */
  bid: bigint
  /** Whole tokens that it sells within 2 % above, scaled by 1e18. */
  ask: bigint
}

/** What a pool told over the blocks that count. */
export interface SettledRate extends PoolRate {
  /** The pool told its last price long ago. */
  isOld: boolean
}
