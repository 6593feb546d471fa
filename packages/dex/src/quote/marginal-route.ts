import type { Address } from '../chain.ts'
import { upperBound } from '../maths/formula.ts'
import { divideUp } from '../maths/integers.ts'
import { type QuotedMarket, type RouteHop, searchMarket } from './best-route.ts'
import { compareRates, marginalRate, type Rate } from './pool-maths/pool-in-state.ts'
import type { PoolSide } from './pool-maths/pool-side.ts'
import { QuoteWork } from './quote-work.ts'
import { stepsOf, type Valuation } from './route-search/path-value.ts'

/** Amounts of fewer base units are too coarse for a price. */
export const COARSE = 1000n

export interface MarginalRoute {
  /** Base units bought per base unit sold, for an infinitely small amount, including LP fees. */
  rate: Rate
  hops: readonly RouteHop[]
}

/**
 * Returns the route with the best marginal rate, including fees, among all simple paths of at most three pools that
 * carry an amount (docs/internals/decisions.md), or null. Each pool must pay at least half of what its rate promises
 * for two amounts: one with which the route pays 1,000 base units of `buy`, and one with which the pool itself does.
 *
 * @param pair `coarse` is an amount of `sell`, in base units, that buys fewer than 1,000 of `buy` on every route. So a
 * rate at which it would buy twice as many is rejected.
 * @throws QuoteOverBudget
 */
export function marginalRoute(
  market: QuotedMarket,
  { sell, buy, coarse }: { sell: Address; buy: Address; coarse: bigint },
  work = new QuoteWork(),
): MarginalRoute | null {
  const found = searchMarket(market, { sell, buy, maxHops: 3 }, carriedRates(sell, coarse, work), work)
  if (found === null) return null
  const { end } = found
  const hops = stepsOf(end).map(({ side: { pool, tokenIn, tokenOut } }) => ({ pool, tokenIn, tokenOut }))
  const { numerator, denominator } = end.value
  return { rate: { numerator, denominator }, hops: hops.reverse() }
}

/** Far more than the floating-point error of a rate. */
const NEAR = 1e-9

/** Numerator and denominator may exceed floating point. */
interface RouteRate extends Rate {
  approximate: number
}

/** Searches backward, because what a pool must carry depends only on the rates after it. */
function carriedRates(sell: Address, coarse: bigint, work: QuoteWork): Valuation<RouteRate> {
  const rates = new Map<PoolSide, RouteRate | null>()
  const rateOf = (side: PoolSide): RouteRate | null => {
    let rate = rates.get(side)
    if (rate === undefined) {
      const exact = marginalRate(side.current, side.zeroForOne)
      rate = exact && { ...exact, approximate: side.bound.rate }
      rates.set(side, rate)
    }
    return rate
  }
  return {
    isBackward: true,
    start: { numerator: 1n, denominator: 1n, approximate: 1 },
    through(side, after) {
      const rate = rateOf(side)
      if (rate === null) return 'too small'
      const isWhole = side.tokenIn === sell
      const approximate = rate.approximate * after.approximate
      // Most rates that are too great are far too great.
      if (isWhole && approximate * Number(coarse) > 3 * Number(COARSE)) return 'too great'
      const numerator = rate.numerator * after.numerator
      const denominator = rate.denominator * after.denominator
      if (isWhole && numerator * coarse >= 2n * COARSE * denominator) return 'too great'
      const enough = divideUp(COARSE * after.denominator, after.numerator)
      const amount = divideUp((enough > COARSE ? enough : COARSE) * rate.denominator, rate.numerator)
      // The bound rejects pools of dust without a ladder.
      const promised = Number(amount) * rate.approximate
      const mayBeDeep = 2 * side.outputBound(Number(amount), work) >= promised * (1 - NEAR)
      const paid = mayBeDeep ? side.quote(amount, work) : null
      const isDeep = paid !== null && 2n * paid * rate.denominator >= amount * rate.numerator
      return isDeep ? { numerator, denominator, approximate } : 'too small'
    },
    compare(a, b) {
      const difference = a.approximate - b.approximate
      return Math.abs(difference) > NEAR * a.approximate ? difference : compareRates(a, b)
    },
    approximate: (value) => value.approximate,
    bound: (rate, _, value) => upperBound(rate, 0, value),
    closeBound: (side, value) => upperBound(side.bound.rate, 0, value),
    isCheap: () => true,
  }
}
