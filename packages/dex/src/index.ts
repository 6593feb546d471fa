export type { Block, BlockHeader, Log, Transaction } from './chain/block.ts'
export {
  type BlockPoint,
  type BlockRange,
  type CoveredRange,
  countBlocks,
  missingRanges,
  sharedRanges,
  withoutRanges,
} from './chain/block-range.ts'
export { DEEP_REORG_CLAIMS, finalBelow } from './chain/finality.ts'
export { type Address, type Hex, ZERO_ADDRESS } from './chain/hex.ts'
export {
  NATIVE_PLACEHOLDERS,
  type NativeCoin,
  NETWORK_NAMES,
  NETWORKS,
  type Network,
  type NetworkName,
} from './chain/network.ts'
export { type DecodedLogs, decode } from './decode.ts'
export type { Deployment, ListedToken } from './deployment.ts'
export { builtInDeployments } from './deployments/built-in.ts'
export { type DexConfig, parseDexConfig } from './dex-config.ts'
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
  CreatedEvent,
  ExchangeEvent,
  FeeEvent,
  InitializeEvent,
  LiquidityEvent,
  PoolEvent,
  PoolFamily,
  PoolKey,
  ProtocolFeeEvent,
  ReservesEvent,
  SwapEvent,
} from './pool-event.ts'
export { bitmapWords, stateReadingOf, ticksOfWord } from './pool-snapshot.ts'
export type {
  ConcentratedState,
  MovingFee,
  PairState,
  PoolState,
  PoolStateAt,
  TickLiquidity,
  TickLiquidityAt,
} from './pool-state.ts'
export { priceStateOf } from './price-state.ts'
export { feeWithShares } from './protocol-fee.ts'
export { keyToldBy } from './protocols/managed-pool.ts'
export type {
  Answers,
  CreatedPool,
  EventDecoder,
  KeyWanted,
  PoolCandidate,
  PoolClaim,
  PoolProof,
  PoolShares,
  Protocol,
  Question,
  StateReading,
} from './protocols/protocol.ts'
export { decodersOf, protocolOf } from './protocols/registry.ts'
export { emitterOf, provePool } from './prove-pool.ts'
export { bestRoute, type QuotedHop, type Route, type RouteHop } from './quote/best-route.ts'
export { type MarginalRoute, marginalRoute } from './quote/marginal-route.ts'
export { createMarket, type Market, type MarketSeed, withWrapper } from './quote/market.ts'
export { PassableTokens, type TokenMoveAt } from './quote/passable-tokens.ts'
export { pairAmountOut } from './quote/pool-maths/pair-amount-out.ts'
export type { Rate } from './quote/pool-maths/rate.ts'
export { SwapLadder } from './quote/pool-maths/swap-ladder.ts'
export { TickList } from './quote/pool-maths/tick-list.ts'
export { getSqrtRatioAtTick, getTickAtSqrtRatio } from './quote/pool-maths/tick-math.ts'
export { type PriceQuote, type QuoteToken, quotePrice } from './quote/quote-price.ts'
export type { MaxHops } from './quote/route-search/route-search.ts'
export { readTick } from './read-tick.ts'
export { DAY, DAY_S, dateOfDay, dayOf, HOUR, HOUR_S, MINUTE, SECOND, startOfDay } from './time.ts'
export { readToken, TOKEN_CALLS } from './token-metadata.ts'
export {
  FLAG_CAPPED,
  FLAG_DEPEGGED,
  FLAG_DISAGREEMENT,
  type Hop,
  type Leg,
  type PricedTrade,
  type TokenMove,
  type Trade,
  USD_SOURCES,
  type UsdSource,
  type UsdValue,
} from './trade.ts'
export type { DroppedSwap, DropReason } from './trades/hops.ts'
export {
  SETTLEMENT_KINDS,
  type Settlement,
  type SettlementKind,
  settlementTopics,
} from './trades/settlements.ts'
export {
  ambiguousTransactions,
  type BlockHops,
  blockHops,
  type TradeRules,
  type TransactionHops,
  toTrades,
  tradeRules,
} from './trades/to-trades.ts'
export { type TokenTransfer, tokenTransfers } from './trades/token-transfers.ts'
export { DEPOSIT, WITHDRAWAL } from './trades/wrapper-flow.ts'
export type { AnchorPrice, AnchorPrices } from './usd/anchor-prices.ts'
export { ReferenceBook } from './usd/reference-book.ts'
export type { ReferenceConfig, ReferencePool, ReferenceState } from './usd/reference-pool.ts'
export { LOOK_BACK_S } from './usd/reference-prices.ts'
export { priceTrade } from './usd/trade-value.ts'
export { usdE8Of, usdText } from './usd/usd-text.ts'
