export { type AnchorPrice, type AnchorPrices, heldE8 } from '../anchor-prices.ts'
export type { ReferenceEvent } from '../pool-event.ts'
export { referenceEventOf } from '../pool-event.ts'
export {
  FLAG_AMOUNTS_DIFFER,
  FLAG_CAPPED,
  FLAG_CLOSED_LOOP,
  FLAG_DEPEGGED,
  FLAG_DISAGREEMENT,
  FLAG_JIT_LIQUIDITY,
  FLAG_OLD_PRICE,
  FLAG_PARTIAL,
  FLAG_UNCONFIRMED,
  type PricedTrade,
  USD_SOURCES,
  type UsdSource,
  type UsdValue,
} from '../trades/trade.ts'
export { closedLoops } from '../usd/closed-loop.ts'
export { comparedEnds } from '../usd/compared-ends.ts'
export type { ReferenceChange, ReferenceConfig, ReferencePool } from '../usd/reference/reference-pool.ts'
export { ReferenceBook } from '../usd/reference-book.ts'
export { priceTrade } from '../usd/trade-value.ts'
export { usdE8Of, usdText } from '../usd/value-texts.ts'
