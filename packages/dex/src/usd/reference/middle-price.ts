import { USD } from '../../anchor-prices.ts'
import type { Address } from '../../chain/hex.ts'

export interface MiddlePrice {
  /** USD per whole token, scaled by 1e18. */
  price: bigint
  /** All the money, in USD scaled by 1e18. */
  money: bigint
  /** Most of the money is in pools whose last price event is old. */
  isOld: boolean
}

/**
 * Returns the price in the middle of the money. Pools are sorted by price and weighed by their money within 2 % of it;
 * the result is the mean over the middle fifth, rounded down. Null without pools.
 *
 * Tokens count at their pool's price, limited to the price that has as much money below as above. So an offer at a
 * thousand times the price does not weigh more.
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
  // In fifths: the middle one begins after 2 of the total and ends at 3, so it has the length of the total.
  let end = 0n
  let sum = 0n
  let old = 0n
  for (const { price, isOld, money } of weighed) {
    const start = end
    end += 5n * money
    const within = least(end, 3n * total) - most(start, 2n * total)
    if (within > 0n) sum += price * within
    if (isOld) old += money
  }
  return { price: sum / total, money: total, isOld: 2n * old > total }
}

/** Returns the lowest price with as much money up to it as above, where tokens above it count at that price. */
function marketPrice(ascending: readonly SettledRate[]): bigint {
  let bids = 0n
  let asks = 0n
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

/** A token's price in one pool. */
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

/** A pool's rate over the blocks that count. */
export interface SettledRate extends PoolRate {
  /** The pool's last price event is old. */
  isOld: boolean
}
