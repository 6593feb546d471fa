import { inverseBound } from '../../maths/output-bound.ts'
import type { Market } from '../market.ts'
import type { PoolSide } from '../pool-maths/pool-side.ts'
import type { QuoteWork } from '../quote-work.ts'
import { stepsOf, type Valuation } from '../route-search/path-value.ts'
import type { Passage } from '../route-search/route-graph.ts'
import { type MarketQuery, searchMarket } from '../search-market.ts'

export interface LeastRoute {
  /** In the order of travel. */
  sides: readonly PoolSide[]
  amountIn: bigint
  /** The tokens that the route was allowed to pass through. */
  through: Passage
}

/**
 * Returns the route that yields at least `amountOut` base units of `buy` for the least input. Null if no route yields
 * it. Equal inputs: fewer hops, then lower pool addresses from the last pool on (see searchRoute).
 *
 * @throws QuoteOverBudget
 */
export function leastRoute(market: Market, query: MarketQuery, amountOut: bigint, work: QuoteWork): LeastRoute | null {
  if (amountOut <= 0n) return null
  const found = searchMarket(market, query, leastInputs(amountOut, work), work)
  if (found === null) return null
  const { end, through } = found
  const sides = stepsOf(end).map(({ side }) => side)
  return { sides: sides.reverse(), amountIn: end.value.amount, through }
}

/** What a token must arrive with, at least, so that the rest of the route yields enough. */
interface Needed {
  amount: bigint
  /** The rest of the route; null at its end. */
  side: PoolSide | null
  after: Needed | null
}

/**
 * Goes backward: the least input of a route is the least of its first pool for the least of the others, because pools
 * are monotone. Less is better, so bounds are of inverses: from output <= input * rate / (1 + input * depth) follows
 * 1 / input <= rate / output - depth.
 */
function leastInputs(amountOut: bigint, work: QuoteWork): Valuation<Needed> {
  return {
    isBackward: true,
    start: { amount: amountOut, side: null, after: null },
    through(side, after) {
      const amount = side.leastInput(after.amount, work)
      if (amount === null) return 'too small'
      const needed = { amount, side, after }
      return isTaken(needed, work) ? needed : 'too great'
    },
    compare: (a, b) => (a.amount < b.amount ? 1 : a.amount > b.amount ? -1 : 0),
    approximate: ({ amount }) => 1 / Number(amount),
    bound: (rate, depth, inverse) => inverseBound(rate, depth, inverse),
    closeBound(side, inverse) {
      const least = side.leastFor(1 / inverse, work)
      return least === Number.POSITIVE_INFINITY ? -1 : 1 / Math.max(least, 1)
    },
    isCheap: (side, inverse) => side.isCheap(1 / inverse, work, 'output'),
  }
}

/**
 * Returns whether the rest of the route takes what its first pool pays, which may be more than is needed if units are
 * coarse. If it does not take that, then no greater input either.
 */
function isTaken({ amount, side, after }: Needed, work: QuoteWork): boolean {
  let later = after
  while (later !== null && (later.side?.takesAll ?? true)) later = later.after
  if (side === null || later === null) return true
  let next = side.quote(amount, work)
  for (let rest = after; rest !== null && rest.side !== null; rest = rest.after) {
    if (next === null) return false
    next = rest.side.quote(next, work)
  }
  return next !== null
}
