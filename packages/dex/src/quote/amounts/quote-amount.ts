import { QuoteWork } from '../quote-work.ts'
import type { QuotedMarket } from '../search-market.ts'
import { type AmountQuery, findRoute } from './find-route.ts'
import { type QuotePart, quotePart } from './quote-part.ts'
import { splitQuote, sumOf } from './split-quote.ts'

/** The parts have no pool in common, so they can be executed in any order. */
export interface AmountQuote {
  amountIn: bigint
  amountOut: bigint
  parts: readonly QuotePart[]
}

/**
 * Returns the most that exactly `amount` buys (`in`), or the least input that buys at least `amount` (`out`), with pool
 * fees and price impact but without gas. Returns null if no route accepts the amount, or if it buys nothing. Several
 * routes are returned only if they beat the best single one (see splitQuote). With `out`, the contracts may pay
 * slightly more than `amount`.
 *
 * @throws QuoteOverBudget
 */
export function quoteAmount(market: QuotedMarket, query: AmountQuery, work = new QuoteWork()): AmountQuote | null {
  const { allows } = query
  const whole = findRoute(market, { ...query, allows: allows && ((side) => allows(side.pool)) }, work)
  const decided = whole === null ? query : { ...query, through: whole.through }
  const parts = query.maxSplits === 1 ? null : splitQuote(market, decided, whole, work)
  if (parts !== null) return { amountIn: sumOf(parts, 'amountIn'), amountOut: sumOf(parts, 'amountOut'), parts }
  const part = whole && quotePart(whole.sides, whole.amountIn, work)
  return part && { amountIn: part.amountIn, amountOut: part.amountOut, parts: [part] }
}
