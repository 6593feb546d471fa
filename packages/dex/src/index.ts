export { type AnchorPrice, type AnchorPrices, everyAnchor, heldE8, valueE8 } from './anchor-prices.ts'
export {
  type Address,
  type Block,
  type BlockHeader,
  type BlockId,
  type BlockPoint,
  type BlockRange,
  type CoveredRange,
  copyOf,
  countBlocks,
  finalBelow,
  type Hex,
  type Log,
  logsByTransaction,
  missingRanges,
  type Receipts,
  ROW_RULES,
  sharedRanges,
  type Transaction,
  withoutRanges,
  ZERO_ADDRESS,
} from './chain.ts'
export type { Deployment, ListedToken } from './deployments/deployment.ts'
export { builtInDeployments, parseDexConfig } from './deployments/dex-config.ts'
export {
  COMING_FORKS,
  DEFAULT_NETWORK,
  FORKS_AS_OF,
  isCoin,
  NETWORK_NAMES,
  NETWORKS,
  type NetworkName,
} from './deployments/networks.ts'
export { type LiquidityMove, liquidityMoves, moveValueE8, type PricedMove } from './liquidity-moves.ts'
export { keysInHost, maskHost } from './mask-host.ts'
export {
  coinsOf,
  type Dex,
  type Pool,
  type PoolAddress,
  type PoolCreation,
  type QuotablePool,
  type Token,
  tokensOf,
} from './pool.ts'
export { type PoolEvent, type PoolKey, type ReferenceEvent, referenceEventOf } from './pool-event.ts'
export {
  addsUp,
  type ConcentratedState,
  type EventState,
  type FormulaState,
  isPossibleState,
  type MovingFee,
  notQuoted,
  type PoolState,
  type PoolStateAt,
  readTime,
  reasonOf,
  type TickLiquidity,
  type TickLiquidityAt,
} from './pool-state.ts'
export { present } from './present.ts'
export type { QuotePart } from './quote/amounts/find-route.ts'
export { type AmountQuote, quoteAmount } from './quote/amounts/quote-amount.ts'
export { bestRoute, isUnlisted, type QuotedHop, type Route, type RouteHop } from './quote/best-route.ts'
export { DepthSearch, type Exchange } from './quote/depth-search.ts'
export { hopMid } from './quote/hop-mid.ts'
export { createMarket, isEmptyPool, type Market, type MarketSeed, withWrapper } from './quote/market.ts'
export { type MarketPrice, MarketPrices } from './quote/market-prices/market-prices.ts'
export { PassableTokens, type TokenMoveAt } from './quote/passable-tokens.ts'
export { balancesOf, heldAmounts, heldByCoin } from './quote/pool-maths/held-amounts.ts'
export { marginalRate, type PoolInState, type Rate } from './quote/pool-maths/pool-in-state.ts'
export { type PriceQuote, plainDecimal, quotePrice, significantDecimal } from './quote/quote-price.ts'
export { MAX_WORK, QuoteOverBudget, QuoteWork } from './quote/quote-work.ts'
export type { Standing } from './quote/route-search/route-graph.ts'
export { UnreadPools } from './quote/unread-pools.ts'
export {
  bitmapRange,
  bitmapWords,
  countBitmapWords,
  encodeScan,
  readScan,
  readTick,
  type ScanPart,
  type ScanRange,
  type TickScan,
  ticksOfWord,
} from './tick-scan/tick-scan.ts'
export {
  DAY_S,
  dateOfDay,
  dayOf,
  FIRST_MONDAY,
  HOUR,
  HOUR_S,
  intervalStart,
  isoTime,
  MINUTE,
  MINUTE_S,
  SECOND,
  startOfDay,
} from './time.ts'
export { readSupply, readToken, SUPPLY_CALL, TOKEN_CALLS } from './token-metadata.ts'
export { Counts, Groups, Totals } from './totals.ts'
export type { DropReason } from './trades/hops.ts'
export { type ReceiptFlows, receiptFlows, type TokenTransfer } from './trades/receipt/receipt-flows.ts'
export { orderTopics } from './trades/receipt/settlements.ts'
export { isSwapLike, venueEvent } from './trades/receipt/swap-like.ts'
export { collapseHops, type NetSwap, type RoutedHop, routesOf } from './trades/routes.ts'
export {
  type BlockHops,
  blockHops,
  type TradeRules,
  toTrades,
  tradeRules,
  tradingTransactions,
} from './trades/to-trades.ts'
export {
  FLAG_AMOUNTS_DIFFER,
  FLAG_CAPPED,
  FLAG_CLOSED_LOOP,
  FLAG_JIT_LIQUIDITY,
  FLAG_OLD_PRICE,
  FLAG_PARTIAL,
  FLAG_SETTLEMENT,
  FLAG_UNCONFIRMED,
  HOP_FLAGS,
  type Hop,
  hopFlags,
  type Leg,
  type PricedTrade,
  type Trade,
  USD_SOURCES,
  type UsdValue,
} from './trades/trade.ts'
export { closedLoops } from './usd/closed-loop.ts'
export { comparedEnds } from './usd/compared-ends.ts'
export { pricesOfStates, referenceTest } from './usd/prices-of-states.ts'
export { evidenceStart, MAX_EVIDENCE_BLOCKS } from './usd/reference/liquidity-evidence.ts'
export {
  type ReferenceChange,
  type ReferenceConfig,
  type ReferencePool,
  referenceBlocks,
} from './usd/reference/reference-pool.ts'
export { LOOK_BACK_S } from './usd/reference/settled-rates.ts'
export { ReferenceBook } from './usd/reference-book.ts'
export { priceTrade } from './usd/trade-value.ts'
export { fixedText, flagsOf, USD_SOURCE_TEXTS, usdE8Of, usdText, VALUE_FLAGS } from './usd/value-texts.ts'
export { isCreation, isIdAlone, isIdentifiedBy, keeperOf, keyInEvent, ownFeeOf } from './venues/managed-pool.ts'
export type {
  CallResults,
  EthCall,
  EventDecoder,
  MissingKey,
  PoolCandidate,
  Protocol,
  StateReading,
  StateSteps,
} from './venues/protocol.ts'
export { WITHOUT_TOPIC } from './venues/protocol.ts'
export { candidatesOf, type FactoryFee, ownFees, provePool } from './venues/prove-pool.ts'
export {
  createdPool,
  creationTopics,
  decode,
  decodersOf,
  dependenciesOf,
  emittersOf,
  formulaKind,
  protocolOf,
  stateReadingOf,
} from './venues/registry.ts'
export { feeWithShares } from './venues/uniswap-v4/state.ts'
