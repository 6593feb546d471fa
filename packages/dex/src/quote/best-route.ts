import type { Address } from '../chain.ts'
import { upperBound } from '../maths/formula.ts'
import type { QuotablePool } from '../pool.ts'
import type { PoolSide } from './pool-maths/pool-side.ts'
import { QuoteWork } from './quote-work.ts'
import { allowing, type Step, stepsOf, type Valuation } from './route-search/path-value.ts'
import type { Passage, RouteGraph } from './route-search/route-graph.ts'
import { type MaxHops, type RouteQuery, searchRoute } from './route-search/route-search.ts'

export interface QuotedMarket {
  readonly graph: RouteGraph
  /** Returns whether a pool holds at least 1,000 USD of tokens with a trusted price. */
  isDeep(pool: Address): boolean
}

interface MarketQuery extends RouteQuery {
  /** Defaults to all pools. */
  allows?: ((side: PoolSide) => boolean) | undefined
}

interface FoundEnd<V> {
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

export interface RouteHop {
  pool: QuotablePool
  tokenIn: Address
  tokenOut: Address
}

/** In base units, including LP fees. */
export interface QuotedHop extends RouteHop {
  amountIn: bigint
  amountOut: bigint
}

export interface Route {
  /** Base units of the token bought, rounded down at each pool as in the contracts. */
  amountOut: bigint
  hops: readonly QuotedHop[]
}

export interface RouteQuestion {
  sell: Address
  buy: Address
  amountIn: bigint
  /** Defaults to 3. */
  maxHops?: MaxHops
}

/**
 * Returns the route that buys the most among all simple paths of at most `maxHops` pools, without splitting. Returns
 * null if no route is feasible or the amount buys nothing. Ties go to fewer hops, then to lower pool addresses (see
 * searchRoute).
 *
 * @throws QuoteOverBudget
 */
export function bestRoute(
  market: QuotedMarket,
  { sell, buy, amountIn, maxHops = 3 }: RouteQuestion,
  work = new QuoteWork(),
): Route | null {
  const route = bestRouteOrZero(market, { sell, buy, maxHops }, amountIn, work)
  return route === null || route.amountOut === 0n ? null : route
}

/**
 * Like `bestRoute`, but an amount that buys nothing still has a route. If no route buys the query's `enough`, any
 * feasible route may be returned.
 */
export function bestRouteOrZero(
  market: QuotedMarket,
  query: MarketQuery,
  amountIn: bigint,
  work: QuoteWork,
): Route | null {
  const end = bestEnd(market, query, amountIn, work)?.end
  return end === undefined ? null : { amountOut: end.value, hops: quotedHops(end, amountIn) }
}

export function bestEnd(
  market: QuotedMarket,
  query: MarketQuery,
  amountIn: bigint,
  work: QuoteWork,
): FoundEnd<bigint> | null {
  return amountIn <= 0n ? null : searchMarket(market, query, amounts(amountIn, work), work)
}

function amounts(start: bigint, work: QuoteWork): Valuation<bigint> {
  return {
    isBackward: false,
    start,
    // An input of 0 gives 0: a small amount that rounds to 0 does not mean that a pool is exhausted.
    through: (side, amount) => (amount === 0n ? 0n : (side.quote(amount, work) ?? 'too great')),
    compare: (a, b) => (a > b ? 1 : a < b ? -1 : 0),
    approximate: Number,
    // Amounts are whole numbers.
    bound: (rate, depth, amount) => Math.floor(upperBound(rate, depth, amount)),
    closeBound: (side, amount) => Math.floor(side.outputBound(amount, work)),
    isCheap: (side, amount) => side.isCheap(amount, work),
  }
}

function quotedHops(end: Step<bigint>, amountIn: bigint): QuotedHop[] {
  let amount = amountIn
  return stepsOf(end).map(({ side: { pool, tokenIn, tokenOut }, value }) => {
    const hop = { pool, tokenIn, tokenOut, amountIn: amount, amountOut: value }
    amount = value
    return hop
  })
}
