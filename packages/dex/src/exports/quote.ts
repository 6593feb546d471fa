// Pool states to prices and routes.
export type { QuotablePool } from '../pool.ts'
export type { ConcentratedState, MovingFee, PairState, PoolState, TickLiquidity } from '../pool-state.ts'
export { bestRoute, type QuotedHop, type Route, type RouteHop } from '../quote/best-route.ts'
export { createMarket, type Market, type MarketSeed, withWrapper } from '../quote/market.ts'
export { heldAmounts } from '../quote/pool-maths/held-amounts.ts'
export { type PriceQuote, type QuoteToken, quotePrice } from '../quote/quote-price.ts'
export { MOST_WORK, QuoteOverBudget, QuoteWork } from '../quote/quote-work.ts'
