import type { Address } from '../chain/hex.ts'
import { upperBound } from '../maths/output-bound.ts'
import type { QuotablePool } from '../pool.ts'
import type { Market } from './market.ts'
import { QuoteWork } from './quote-work.ts'
import { type Step, stepsOf, type Valuation } from './route-search/path-value.ts'
import type { MaxHops } from './route-search/route-search.ts'
import { type FoundEnd, type MarketQuery, searchMarket } from './search-market.ts'

export interface RouteHop {
  pool: QuotablePool
  tokenIn: Address
  tokenOut: Address
}

/** Amounts in base units, LP fee included. */
export interface QuotedHop extends RouteHop {
  amountIn: bigint
  amountOut: bigint
}

export interface Route {
  /** Base units of the token bought, rounded down at each pool as the contracts do. */
  amountOut: bigint
  hops: readonly QuotedHop[]
}

/**
 * As `bestRoute`, but an amount that is feasible and buys nothing is a route with amount 0. If no route buys `enough`
 * base units, any feasible route is returned.
 *
 * @throws QuoteOverBudget
 */
export function bestRouteOrZero(
  market: Market,
  sell: Address,
  buy: Address,
  amountIn: bigint,
  maxHops: MaxHops = 3,
  work = new QuoteWork(),
  enough = 0n,
): Route | null {
  if (amountIn <= 0n) return null
  const query = { sell, buy, maxHops, enough: Number(enough) }
  const end = searchMarket(market, query, amounts(amountIn, work), work)?.end
  return end === undefined ? null : { amountOut: end.value, hops: quotedHops(end, amountIn) }
}

/**
 * Returns the route that buys the most `buy` for exactly `amountIn` base units of `sell`, out of all simple paths of at
 * most `maxHops` pools, without splitting. Null without a path, or if all pools are exhausted, or the amount buys
 * nothing. Equal amounts: fewer hops, then lower pool addresses (see searchRoute). `work` has no budget by default.
 * @throws QuoteOverBudget
 */
export function bestRoute(
  market: Market,
  sell: Address,
  buy: Address,
  amountIn: bigint,
  maxHops: MaxHops = 3,
  work = new QuoteWork(),
): Route | null {
  const route = bestRouteOrZero(market, sell, buy, amountIn, maxHops, work)
  return route === null || route.amountOut === 0n ? null : route
}

/**
 * Returns the end of the best route for an amount (see bestRoute); null without a route. It may buy nothing.
 *
 * @throws QuoteOverBudget
 */
export function bestEnd(
  market: Market,
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
    // An input of 0 gives 0, to distinguish an amount that is too small from an exhausted pool.
    through: (side, amount) => (amount === 0n ? 0n : (side.quote(amount, work) ?? 'too great')),
    compare: (a, b) => (a > b ? 1 : a < b ? -1 : 0),
    approximate: Number,
    // Amounts are whole numbers.
    bound: (rate, depth, amount) => Math.floor(upperBound(rate, depth, amount)),
    closeBound: (side, amount) => Math.floor(side.mostFor(amount, work)),
    isCheap: (side, amount) => side.isCheap(amount, work),
  }
}

function quotedHops(end: Step<bigint>, amountIn: bigint): QuotedHop[] {
  let amount = amountIn
  return stepsOf(end).map(({ side, value }) => {
    const hop = {
      pool: side.pool,
      tokenIn: side.tokenIn,
      tokenOut: side.tokenOut,
      amountIn: amount,
      amountOut: value,
    }
    amount = value
    return hop
  })
}
