export { type Database, type DatabaseOptions, openDatabase } from './database/database.ts'
export { deactivateOtherNetworks, type IndexerStore, openIndexerStore } from './indexer-store.ts'
export { type MigrateOptions, migrate } from './migrate/migrate.ts'
export { assertMigrated } from './migrate/migration-history.ts'
export { type MigrateLog, READER_ROLE } from './migrate/reader-role.ts'
export { openReader, type Reader, type ReaderOptions } from './reader.ts'
export { coverageGaps, coverageProgress, coversSince, coversStart } from './reading/coverage.ts'
export type { MarketChanges, MarketSnapshot, MarketVersion, TokenEvidence } from './reading/market.ts'
export type { IndexedNetwork } from './reading/networks.ts'
export type { SwapPage, SwapSelection, SwapWindow, SwapWindowOptions } from './reading/swap-window.ts'
export type { DayVolume } from './reading/volumes.ts'
export {
  BlocksNotLinked,
  DatabaseNotMigrated,
  DatabaseTooNew,
  DatabaseUnreachable,
  GenesisMismatch,
  HeadMoved,
  LeaseLost,
  MigrationFailed,
  RangeAlreadyCovered,
  RangeNotSettled,
  ReorgTooDeep,
  StoreError,
} from './store-error.ts'
export type { NetworkRow } from './tables/network.ts'
export type { PoolRow } from './tables/pool.ts'
export { asStoredTrade, type StoredTrade, TRADE_COLUMNS } from './tables/swap.ts'
export type { SwapPlace, SwapRow, UnsureSwaps } from './tables/swap-list.ts'
export {
  WASH_FEW_TRADERS,
  WASH_MATCHED,
  WASH_ROUND_TRIPS,
  type WashDay,
  type WashDayFlags,
  type WashPool,
  type WashThresholds,
} from './tables/wash.ts'
export type { PoolSnapshots } from './writing/commit-pool-states.ts'
export type { LiveCommit, RangeCommit } from './writing/commit-range.ts'
export type { DayDifference } from './writing/recount-day.ts'
export type { NetworkRegistration } from './writing/register-network.ts'
export type { RangeReplacement } from './writing/replace-range.ts'
export type { WriterLease } from './writing/writer-lease.ts'
