import type { Address } from '../chain/hex.ts'
import type { Market } from './market.ts'
import type { PoolSide } from './pool-maths/pool-side.ts'
import type { QuoteWork } from './quote-work.ts'
import { allowing, type Step, stepsOf, type Valuation } from './route-search/path-value.ts'
import type { Passage } from './route-search/route-graph.ts'
import { type RouteQuery, searchRoute } from './route-search/route-search.ts'

export interface MarketQuery extends RouteQuery {
  /** Pools that a route may use; default: all. */
  allows?: ((side: PoolSide) => boolean) | undefined
}

/** The end of the best route, and the tokens that it was allowed to pass through. */
export interface FoundEnd<V> {
  end: Step<V>
  through: Passage
}

/**
 * Returns the best route through listed tokens as long as one of them has deep pools only (`Market.isDeep`). Otherwise
 * it returns the best route through listed and proven tokens. Null if no route is feasible.
 *
 * Moves prove a token only to those who made them: its maker may let friends alone move it. Honest markets offer nothing
 * better through such a token, because arbitrage closes that gap where money stands.
 *
 * @param query `through`: if it is decided already
 * @throws QuoteOverBudget
 */
export function searchMarket<V>(
  market: Market,
  query: MarketQuery,
  valuation: Valuation<V>,
  work: QuoteWork,
): FoundEnd<V> | null {
  const { graph } = market
  const { allows } = query
  const allowed = allows === undefined ? valuation : allowing(valuation, allows)
  const search = (through: Passage): FoundEnd<V> | null => {
    const end = searchRoute(graph, { ...query, through }, allowed, work)
    return end && { end, through }
  }
  if (query.through !== undefined || !graph.hasProven) return search(query.through ?? 'listed')
  const isDeep = (side: PoolSide) => market.isDeep(side.pool.address)
  const listed = search('listed')
  if (listed !== null) {
    if (stepsOf(listed.end).every(({ side }) => isDeep(side))) return listed
    const any = { ...query, through: 'listed', enough: Number.POSITIVE_INFINITY } as const
    if (searchRoute(graph, any, allowing(allowed, isDeep), work) !== null) return listed
  }
  return search('proven')
}

/** Returns whether a route passes through a token that is not listed. */
export function isUnlisted({ graph }: Market, hops: readonly { tokenIn: Address }[]): boolean {
  return hops.slice(1).some(({ tokenIn }) => graph.standing(tokenIn) !== 'listed')
}
