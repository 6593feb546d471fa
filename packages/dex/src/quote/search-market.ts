import type { Address } from '../chain/hex.ts'
import type { PoolSide } from './pool-maths/pool-side.ts'
import type { QuoteWork } from './quote-work.ts'
import { allowing, type Step, stepsOf, type Valuation } from './route-search/path-value.ts'
import type { Passage, RouteGraph } from './route-search/route-graph.ts'
import { type RouteQuery, searchRoute } from './route-search/route-search.ts'

export interface QuotedMarket {
  readonly graph: RouteGraph
  /** Returns whether a pool holds at least 1,000 USD of tokens with a trusted price. */
  isDeep(pool: Address): boolean
}

export interface MarketQuery extends RouteQuery {
  /** Defaults to all pools. */
  allows?: ((side: PoolSide) => boolean) | undefined
}

export interface FoundEnd<V> {
  end: Step<V>
  through: Passage
}

/**
 * Returns the best route through listed tokens if at least one such route has only deep pools; otherwise the best route
 * through listed and proven tokens. A query with `through` is searched as it is.
 *
 * Moves prove a token only for the traders who made them, because its contract may let only friends move it. In honest
 * markets such a token offers nothing better, because arbitrage closes that gap wherever there is money.
 *
 * @throws QuoteOverBudget
 */
export function searchMarket<V>(
  market: QuotedMarket,
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
    const anyRoute = { ...query, through: 'listed', enough: Number.POSITIVE_INFINITY } as const
    if (searchRoute(graph, anyRoute, allowing(allowed, isDeep), work) !== null) return listed
  }
  return search('proven')
}

export function isUnlisted({ graph }: QuotedMarket, hops: readonly { tokenIn: Address }[]): boolean {
  return hops.slice(1).some(({ tokenIn }) => graph.standing(tokenIn) !== 'listed')
}
