import { type AmountQuote, type QuoteWork, quoteAmount } from '@dexfeed/dex'
import type { LiveMarket } from '../live-market.ts'
import type { AskedQuote } from './quote-question.ts'

/** Returns the best amount for a question; null without a route. @throws QuoteOverBudget */
export function quotedAmount({ market }: LiveMarket, asked: AskedQuote, work: QuoteWork): AmountQuote | null {
  const { sell, buy, amount, allows, ...rest } = asked
  // The coin and its wrapper always swap one to one.
  if (sell.address === buy.address) return { amountIn: amount, amountOut: amount, parts: [] }
  const query = { ...rest, sell: sell.address, buy: buy.address, amount, ...(allows && { allows }) }
  return quoteAmount(market, query, work)
}
