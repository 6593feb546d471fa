export type { PoolSnapshots } from './commit/commit-pool-states.ts'
export type { LiveCommit, RangeCommit } from './commit/range-commit.ts'
export type { RangeReplacement } from './commit/replace-range.ts'
export { type Database, type DatabaseOptions, openDatabase } from './database.ts'
export { deactivateOtherNetworks } from './indexer/deactivate-other-networks.ts'
export { WASH_FEW_TRADERS, WASH_MATCHED, WASH_ROUND_TRIPS } from './indexer/flag-wash-pools.ts'
export { type IndexerStore, openIndexerStore } from './indexer/indexer-store.ts'
export type { WashDay, WashThresholds } from './indexer/judge-wash-day.ts'
export type { PoolRow } from './indexer/load-pools.ts'
export type { NetworkRow } from './indexer/network-row.ts'
export type { DayDifference } from './indexer/recount-day.ts'
export type { NetworkRegistration } from './indexer/register-network.ts'
export { asStoredTrade, type StoredTrade, TRADE_COLUMNS } from './indexer/stored-trades.ts'
export type { WriterLease } from './indexer/writer-lease.ts'
export { assertMigrated } from './migrate/assert-migrated.ts'
export { type MigrateOptions, migrate } from './migrate/migrate.ts'
export type { MigrateLog } from './migrate/migrate-log.ts'
export { READER_ROLE } from './migrate/reader-role.ts'
export { coverageGaps, coverageProgress, coversSince, coversStart } from './read/coverage.ts'
export type { DayVolume } from './read/day-volumes.ts'
export type { IndexedNetwork } from './read/indexed-network.ts'
export {
  type MarketChanges,
  type MarketSnapshot,
  type MarketVersion,
  openReader,
  type Reader,
  type ReaderOptions,
  type TokenEvidence,
} from './read/reader.ts'
export type { UnsureSwaps } from './read/swap-pages.ts'
export type { SwapPlace, SwapRow } from './read/swap-row.ts'
export type { SwapPage, SwapSelection, SwapWindow, SwapWindowOptions } from './read/swap-window.ts'
export type { WashDayFlags, WashPool } from './read/wash-flags.ts'
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
