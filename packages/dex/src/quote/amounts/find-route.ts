import type { Address } from '../../chain.ts'
import { inverseBound } from '../../maths/formula.ts'
import type { QuotablePool } from '../../pool.ts'
import { bestEnd, type QuotedHop, type QuotedMarket, searchMarket } from '../best-route.ts'
import { solveMinInput } from '../pool-maths/min-input.ts'
import type { PoolSide } from '../pool-maths/pool-side.ts'
import type { QuoteWork } from '../quote-work.ts'
import { stepsOf, type Valuation } from '../route-search/path-value.ts'
import type { Passage } from '../route-search/route-graph.ts'
import type { MaxHops } from '../route-search/route-search.ts'

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

interface SingleRouteQuery extends Omit<AmountQuery, 'maxSplits' | 'allows'> {
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

interface AmountHop extends QuotedHop {
  /** The part of the input that the pool keeps, rounded up; null if its formula does not show it. */
  fee: bigint | null
}

export interface QuotePart {
  amountIn: bigint
  amountOut: bigint
  hops: readonly AmountHop[]
}

/** Returns null if the route does not accept the amount, or pays nothing. */
export function quotePart(sides: readonly PoolSide[], amountIn: bigint, work: QuoteWork): QuotePart | null {
  const hops: AmountHop[] = []
  let amount = amountIn
  for (const side of sides) {
    const amountOut = side.quote(amount, work)
    if (amountOut === null || amountOut === 0n) return null
    const { pool, tokenIn, tokenOut } = side
    hops.push({ pool, tokenIn, tokenOut, amountIn: amount, amountOut, fee: side.feeOn(amount) })
    amount = amountOut
  }
  return { amountIn, amountOut: amount, hops }
}

export function amountAlong(sides: readonly PoolSide[], amountIn: bigint, work: QuoteWork): bigint | null {
  let amount: bigint | null = amountIn
  for (const side of sides) {
    if (amount === null || amount <= 0n) return amount
    amount = side.quote(amount, work)
  }
  return amount
}

/**
 * Returns the least input with which a route pays at least `amountOut`. Rounding in a formula can make it differ from
 * the input composed pool by pool.
 */
export function minInputAlong(
  sides: readonly PoolSide[],
  amountOut: bigint,
  work: QuoteWork,
  composed = composedInput(sides, amountOut, work),
): bigint | null {
  if (composed === null || sides.every(({ current }) => current.formula === null)) return composed
  const quote = (input: bigint) => amountAlong(sides, input, work)
  const isEnough = (input: bigint) => {
    const paid = quote(input)
    return paid !== null && paid >= amountOut
  }
  if (isEnough(composed) && !isEnough(composed - 1n)) return composed
  return solveMinInput(quote, amountOut, composed)
}

/** @param isRough accepts an input that pays a billionth too much, for less work */
export function composedInput(
  sides: readonly PoolSide[],
  amountOut: bigint,
  work: QuoteWork,
  isRough = false,
): bigint | null {
  let amount: bigint | null = amountOut
  for (const side of sides.toReversed()) amount = amount === null ? null : side.minInput(amount, work, isRough)
  return amount
}
