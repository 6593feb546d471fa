import type { Address } from '../../chain/hex.ts'
import { inverseBound } from '../../maths/output-bound.ts'
import type { QuotablePool } from '../../pool.ts'
import { bestEnd } from '../best-route.ts'
import type { PoolSide } from '../pool-maths/pool-side.ts'
import type { QuoteWork } from '../quote-work.ts'
import { stepsOf, type Valuation } from '../route-search/path-value.ts'
import type { Passage } from '../route-search/route-graph.ts'
import type { MaxHops } from '../route-search/route-search.ts'
import { type QuotedMarket, searchMarket } from '../search-market.ts'
import { minInputAlong } from './quote-part.ts'

export interface AmountQuery {
  sell: Address
  buy: Address
  /** Base units of `sell` to sell (`in`), or the minimum of `buy` to buy (`out`). */
  amount: bigint
  side: 'in' | 'out'
  maxHops: MaxHops
  maxSplits: 1 | 2 | 3 | 4
  through?: Passage
  allows?: (pool: QuotablePool) => boolean
}

export interface SingleRouteQuery extends Omit<AmountQuery, 'maxSplits' | 'allows'> {
  allows?: ((side: PoolSide) => boolean) | undefined
}

export interface FoundRoute {
  sides: readonly PoolSide[]
  amountIn: bigint
  through: Passage
}

/** The route may buy nothing. @throws QuoteOverBudget */
export function findRoute(market: QuotedMarket, query: SingleRouteQuery, work: QuoteWork): FoundRoute | null {
  const { amount, side } = query
  if (side === 'in') {
    const found = bestEnd(market, query, amount, work)
    return found && { sides: stepsOf(found.end).map((step) => step.side), amountIn: amount, through: found.through }
  }
  const cheapest = cheapestRoute(market, query, work)
  const amountIn = cheapest && minInputAlong(cheapest.sides, amount, work, cheapest.amountIn)
  return cheapest === null || amountIn === null ? null : { ...cheapest, amountIn }
}

/** Ties go to fewer hops, then to lower pool addresses, starting from the last pool. */
function cheapestRoute(market: QuotedMarket, query: SingleRouteQuery, work: QuoteWork): FoundRoute | null {
  if (query.amount <= 0n) return null
  const found = searchMarket(market, query, minInputs(query.amount, work), work)
  if (found === null) return null
  const { end, through } = found
  const sides = stepsOf(end).map(({ side }) => side)
  return { sides: sides.reverse(), amountIn: end.value.amount, through }
}

interface Needed {
  amount: bigint
  side: PoolSide | null
  after: Needed | null
}

/**
 * Searches backward, because the least inputs of monotone pools compose. Less is better, so bounds are on inverses:
 * output <= input * rate / (1 + input * depth) implies 1 / input <= rate / output - depth.
 */
function minInputs(amountOut: bigint, work: QuoteWork): Valuation<Needed> {
  return {
    isBackward: true,
    start: { amount: amountOut, side: null, after: null },
    through(side, after) {
      const amount = side.minInput(after.amount, work)
      if (amount === null) return 'too small'
      const needed = { amount, side, after }
      return isTaken(needed, work) ? needed : 'too great'
    },
    compare: (a, b) => (a.amount < b.amount ? 1 : a.amount > b.amount ? -1 : 0),
    approximate: ({ amount }) => 1 / Number(amount),
    bound: inverseBound,
    closeBound(side, inverse) {
      const input = side.inputBound(1 / inverse, work)
      return input === Number.POSITIVE_INFINITY ? -1 : 1 / Math.max(input, 1)
    },
    isCheap: (side, inverse) => side.isCheap(1 / inverse, work, 'output'),
  }
}

/** If units are coarse, a pool may pay more than the next one accepts. */
function isTaken({ amount, side, after }: Needed, work: QuoteWork): boolean {
  // Pairs accept any amount, so only a later pool of another kind can refuse.
  let later = after
  while (later !== null && (later.side?.current.state?.kind ?? 'pair') === 'pair') later = later.after
  if (side === null || later === null) return true
  let next = side.quote(amount, work)
  for (let rest = after; rest !== null && rest.side !== null; rest = rest.after) {
    if (next === null) return false
    next = rest.side.quote(next, work)
  }
  return next !== null
}
