import type { Address } from '../../chain/hex.ts'
import type { QuotablePool } from '../../pool.ts'
import { bestEnd } from '../best-route.ts'
import type { Market } from '../market.ts'
import type { PoolSide } from '../pool-maths/pool-side.ts'
import type { QuoteWork } from '../quote-work.ts'
import { stepsOf } from '../route-search/path-value.ts'
import type { Passage } from '../route-search/route-graph.ts'
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
  /** The tokens that routes may pass through, if it is decided already (see searchMarket). */
  through?: Passage
  /** Pools that routes may use; default: all. */
  allows?: (pool: QuotablePool) => boolean
}

/** A route with its input. */
export interface FoundRoute {
  /** In the order of travel. */
  sides: readonly PoolSide[]
  amountIn: bigint
  /** The tokens that the route was allowed to pass through. */
  through: Passage
}

/**
 * Returns the best single route for an amount of a query; null without a route. It may buy nothing.
 *
 * @throws QuoteOverBudget
 */
export function findRoute(
  market: Market,
  { sell, buy, side, maxHops, through }: AmountQuery,
  amount: bigint,
  allows: ((side: PoolSide) => boolean) | undefined,
  work: QuoteWork,
): FoundRoute | null {
  const query = { sell, buy, maxHops, allows, ...(through && { through }) }
  if (side === 'in') {
    const found = bestEnd(market, query, amount, work)
    if (found === null) return null
    const sides = stepsOf(found.end).map((step) => step.side)
    return { sides, amountIn: amount, through: found.through }
  }
  const least = leastRoute(market, query, amount, work)
  const amountIn = least && leastAlong(least.sides, amount, work, least.amountIn)
  return least === null || amountIn === null ? null : { ...least, amountIn }
}
