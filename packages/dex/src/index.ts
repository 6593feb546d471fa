export type { Block, BlockHeader, Log, Transaction } from './block.ts'
export { type DecodedLogs, decode } from './decode.ts'
export type { Deployment, ListedToken } from './deployment.ts'
export { builtInDeployments } from './deployments/built-in.ts'
export { type DexConfig, parseDexConfig } from './dex-config.ts'
export { type Address, type Hex, ZERO_ADDRESS } from './hex.ts'
export {
  NATIVE_PLACEHOLDERS,
  type NativeCoin,
  NETWORK_NAMES,
  NETWORKS,
  type Network,
  type NetworkName,
} from './network.ts'
export {
  type AddressField,
  DEX_KINDS,
  type Dex,
  type DexKind,
  type Pool,
  type PoolAddress,
  type Token,
  tokensOf,
} from './pool.ts'
export type {
  CoinReference,
  ExchangeEvent,
  InitializeEvent,
  LiquidityEvent,
  PoolEvent,
  PoolFamily,
  PoolKey,
  ReservesEvent,
  SwapEvent,
} from './pool-event.ts'
export { bitmapWords, readTick, stateReadingOf, ticksOfWord } from './pool-snapshot.ts'
export type {
  ConcentratedState,
  PairState,
  PoolState,
  PoolStateAt,
  TickLiquidity,
  TickLiquidityAt,
} from './pool-state.ts'
export { priceStateOf } from './price-state.ts'
export type {
  Answers,
  CreatedPool,
  EventDecoder,
  PoolCandidate,
  PoolClaim,
  PoolProof,
  Protocol,
  Question,
  StateReading,
} from './protocols/protocol.ts'
export { decodersOf, protocolOf } from './protocols/registry.ts'
export { emitterOf, provePool } from './prove-pool.ts'
export { bestRoute, type QuotedHop, type Route, type RouteHop } from './quote/best-route.ts'
export { type MarginalOptions, type MarginalRoute, marginalRoute } from './quote/marginal-route.ts'
export { createMarket, type Market, type MarketSeed } from './quote/market.ts'
export { pairAmountOut } from './quote/pair-amount-out.ts'
export { type PriceQuote, type QuoteToken, quotePrice } from './quote/quote-price.ts'
export type { Rate } from './quote/rate.ts'
export type { MaxHops } from './quote/route-search.ts'
export { SwapLadder } from './quote/swap-ladder.ts'
export { TickList } from './quote/tick-list.ts'
export { getSqrtRatioAtTick, getTickAtSqrtRatio } from './quote/tick-math.ts'
export { READABLE_KINDS } from './readable-kinds.ts'
export { readToken, TOKEN_CALLS } from './token-metadata.ts'
export {
  FLAG_CAPPED,
  FLAG_DEPEGGED,
  FLAG_DISAGREEMENT,
  type Hop,
  type Leg,
  type PricedTrade,
  type Trade,
  USD_SOURCES,
  type UsdSource,
  type UsdValue,
} from './trade.ts'
export type { DroppedSwap, DropReason } from './trades/hops.ts'
export { type BlockTrades, toTrades } from './trades/to-trades.ts'
export { DEPOSIT, WITHDRAWAL } from './trades/wrapper-flow.ts'
export type { AnchorPrice, AnchorPrices } from './usd/anchor-prices.ts'
export { ReferenceBook } from './usd/reference-book.ts'
export type { ReferenceConfig, ReferencePool, ReferenceState } from './usd/reference-pool.ts'
export { LOOK_BACK_S } from './usd/reference-prices.ts'
export { priceTrade } from './usd/trade-value.ts'
