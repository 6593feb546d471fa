import type { Address } from '../../chain/hex.ts'
import type { QuotablePool } from '../../pool.ts'
import { bestSides } from '../best-route.ts'
import type { Market } from '../market.ts'
import type { PoolSide } from '../pool-maths/pool-side.ts'
import type { QuoteWork } from '../quote-work.ts'
import type { MaxHops } from '../route-search/route-search.ts'
import { leastRoute } from './least-route.ts'
import { leastAlong } from './quote-part.ts'

export interface AmountQuery {
  sell: Address
  buy: Address
  /** Base units: of `sell` that are sold (`in`), or of `buy` that are bought at least (`out`). */
  amount: bigint
  side: 'in' | 'out'
  maxHops: MaxHops
  maxSplits: 1 | 2 | 3 | 4
  /** Pools that routes may use; default: all. */
  allows?: (pool: QuotablePool) => boolean
}

/** A route with its input. */
export interface FoundRoute {
  /** In the order of travel. */
  sides: readonly PoolSide[]
  amountIn: bigint
}

/**
 * Returns the best single route for an amount of a query; null without a route. It may buy nothing.
 *
 * @throws QuoteOverBudget
 */
export function findRoute(
  market: Market,
  { sell, buy, side, maxHops }: AmountQuery,
  amount: bigint,
  allows: ((side: PoolSide) => boolean) | undefined,
  work: QuoteWork,
): FoundRoute | null {
  if (side === 'in') {
    const sides = bestSides(market, { sell, buy, amountIn: amount, maxHops, allows }, work)
    return sides && { sides, amountIn: amount }
  }
  const least = leastRoute(market, { sell, buy, amountOut: amount, maxHops, allows }, work)
  const amountIn = least && leastAlong(least.sides, amount, work, least.amountIn)
  return least === null || amountIn === null ? null : { sides: least.sides, amountIn }
}
