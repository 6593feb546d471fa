export { type Database, type DatabaseOptions, openDatabase } from './database/database.ts'
export { deactivateOtherNetworks, type IndexerStore, openIndexerStore } from './indexer-store.ts'
export { migrate } from './migrate/migrate.ts'
export { assertMigrated } from './migrate/migration-history.ts'
export { READER_ROLE } from './migrate/reader-role.ts'
export { openReader, type Reader, type ReaderOptions } from './reader.ts'
export type { CommittedStates } from './reading/committed-states.ts'
export { coverageGaps, coverageProgress, coversSince, coversStart, takenAsCovered } from './reading/coverage.ts'
export type { MarketChanges, MarketSnapshot, TokenEvidence } from './reading/market.ts'
export type { IndexedNetwork } from './reading/networks.ts'
export type { SwapPage, SwapSelection, SwapWindow } from './reading/swap-window.ts'

export {
  BlockNotStored,
  BlocksNotLinked,
  checkGenesis,
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
export type { AwaitedKeys } from './tables/keys/awaited-key.ts'
export type { KeyProgress } from './tables/keys/key-search.ts'
export type { NetworkRow } from './tables/network.ts'
export type { UnreadPool } from './tables/pool.ts'
export type { DistrustedPool } from './tables/pool-state.ts'
export { asStoredTrade, type PoolTrades, type StoredTrade, TRADE_COLUMNS } from './tables/swap/swap.ts'
export type { SwapRow, UnsureSwaps } from './tables/swap/swap-list.ts'
export type { VenueCoverage } from './tables/venue-coverage.ts'
export {
  WASH_FEW_TRADERS,
  WASH_MATCHED,
  WASH_ROUND_TRIPS,
  type WashDay,
  type WashThresholds,
} from './tables/wash.ts'

export type { SnapshotAt } from './writing/commit-pool-states.ts'
export type { LiveCommit, RangeCommit } from './writing/commit-range.ts'
export type { DayDifference } from './writing/recount-day.ts'

export type { WriterLease } from './writing/writer-lease.ts'
