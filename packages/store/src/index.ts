export { PATIENCE, type Patience, watchedPoolConfig } from './database/connection-config.ts'
export { type Database, type DatabaseOptions, openDatabase } from './database/database.ts'
export { KeepAliveClient } from './database/keep-alive-client.ts'
export { type ChangedSetting, changedSettings, type DatabaseFacts, databaseFacts } from './database/session-settings.ts'
export { type IndexerStore, openIndexerStore } from './indexer-store.ts'
export { type LakeStore, openLakeStore } from './lake-store.ts'
export { migrate } from './migrate/migrate.ts'
export { assertMigrated, readMigrations } from './migrate/migration-history.ts'
export { READER_ROLE } from './migrate/roles.ts'
export { type SchemaDrift, schemaDrift } from './migrate/schema-drift.ts'
export { openReader, type Reader, type ReaderOptions } from './reader.ts'
export { type Candle, type CandleSelection, PRICE_LIFE_S } from './reading/candles.ts'
export type { CatalogPlace, CatalogSearch, Found, PoolWithState } from './reading/catalog.ts'
export type { CommittedStates } from './reading/committed-states.ts'
export type { Coverage } from './reading/coverage.ts'
export { asIfCovered, coverageGaps, coverageProgress, coversSince, coversStart, headSpan } from './reading/coverage.ts'
export type { EdgeSnapshot } from './reading/edge-source.ts'
export { type FoundRecent, findRecent } from './reading/find-recent.ts'
export type { FoundSwaps, SwapSearch } from './reading/find-swaps.ts'
export {
  type DayPages,
  type Moneys,
  moneyRank,
  type PoolDay,
  type PriceOfDay,
  type TokenDay,
} from './reading/last-day.ts'
export type { ListedNetwork, ListSnapshot } from './reading/list-source.ts'
export type { MarketChanges, MarketFrame, MarketPages } from './reading/market.ts'
export type { SwapBoundaries } from './reading/merge-found.ts'
export type { Extent, IndexedNetwork, NetworkProgress } from './reading/networks.ts'
export type { LakeKind, LakeKinds, LakeReads, LakeRequest, LakeRow, LakeSpan, Past } from './reading/past.ts'
export { ROWS_OF_DAY, type RowsName, type RowsOfDay } from './reading/rows-of-day.ts'
export type { SwapDay } from './reading/swaps-of-day.ts'
export { type AgeTraders, countedHops, type TradersRequest } from './reading/traders-of-ages.ts'
export type { VolumeSelection } from './reading/volumes.ts'

export {
  BlockNotStored,
  BlocksNotLinked,
  checkGenesis,
  DatabaseNotMigrated,
  DatabaseTooNew,
  DatabaseUnreachable,
  GenesisMismatch,
  HeadMoved,
  LakeTooMuch,
  LakeUnavailable,
  LeaseInterrupted,
  LeaseLost,
  MigrationFailed,
  RangeAlreadyCovered,
  RangeNotSettled,
  ReorgTooDeep,
  StoreError,
} from './store-error.ts'
export type { StoredRow } from './stored.ts'
export type { AlertChange, AlertKey, SentAlert } from './tables/alert.ts'
export type { CopiedKind } from './tables/copied-rows.ts'
export type { InvalidatedPool } from './tables/invalidated-pool.ts'
export type { AwaitedKeys } from './tables/keys/awaited-key.ts'
export type { KeyProgress } from './tables/keys/key-search.ts'
export type { UnconfirmedDenial } from './tables/keys/unconfirmed-denial.ts'
export {
  asStoredLiquidity,
  type FoundLiquidity,
  LIQUIDITY_COLUMNS,
  type LiquiditySearch,
  type LiquiditySum,
} from './tables/liquidity-event.ts'
export type { HeldAt, HeldAtEnd, LiquidityHour } from './tables/liquidity-hour.ts'
export type { NetworkRow } from './tables/network.ts'
export type { PoolFilter, PoolRow } from './tables/pool.ts'
export type { CreatedPool } from './tables/pool-creation.ts'
export type { StatedPool } from './tables/pool-state.ts'
export type { AgeSums } from './tables/rollups/day-figures.ts'
export { CHANGE_AGES_S } from './tables/rollups/merge-candles.ts'
export { pricesOf as hopPrices, storedPriceText } from './tables/rollups/price-rule.ts'
export type { EndpointUse, NetworkActivity, QueueCounts } from './tables/status/network-activity.ts'
export type { VenueCoverage } from './tables/status/venue-coverage.ts'
export type { LakeSwap, LakeSwapRow, LakeSwapSearch } from './tables/swap/lake-swap.ts'
export { CELL_BLOCKS, cellOf } from './tables/swap/list-cell.ts'
export { poolKey } from './tables/swap/pool-key.ts'
export { asStoredTrade, type PoolTrades, TRADE_COLUMNS } from './tables/swap/swap.ts'
export type { SwapRow } from './tables/swap/swap-list.ts'
export type { SwapWithHops } from './tables/swap/swap-page.ts'
export type { SwapBoundary, SwapFilter } from './tables/swap/swap-search.ts'
export type { FoundToken, TokenFilter } from './tables/token.ts'
export type { UnreadChanges, UnreadPool } from './tables/unread-pool.ts'
export {
  WASH_FEW_TRADERS,
  WASH_MATCHED,
  WASH_ROUND_TRIPS,
  type WashDay,
  type WashThresholds,
} from './tables/wash.ts'

export { claimNetworks, type NetworksClaim } from './writing/claim-networks.ts'
export type {
  HeadCommit,
  HistoryCommit,
  LiveCommit,
  RangeCommit,
  SkippedCommit,
} from './writing/commit-range.ts'
export type { AlertReads, JudgeAlerts } from './writing/judge-alerts.ts'
export type { LakeLock } from './writing/lake-lock.ts'
export type { Restoration } from './writing/restore-days.ts'
export type { DayDifference } from './writing/whole-days.ts'
export type { SnapshotAt } from './writing/write-pool-states.ts'

export type { WriterLease } from './writing/writer-lease.ts'
