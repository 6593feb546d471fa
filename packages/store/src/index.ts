export { type Database, type DatabaseOptions, openDatabase } from './database.ts'
export { assertMigrated } from './migrate/assert-migrated.ts'
export { type MigrateOptions, migrate } from './migrate/migrate.ts'
export type { MigrateLog } from './migrate/migrate-log.ts'
export { READER_ROLE } from './migrate/reader-role.ts'
export { type BlockSpan, coverageGaps, coversSince, coversStart } from './read/coverage.ts'
export type { DayVolume } from './read/day-volumes.ts'
export type { BlockPoint, CoveredSpan, IndexedNetwork } from './read/indexed-network.ts'
export { type MarketChanges, type MarketSnapshot, type MarketVersion, openReader, type Reader } from './read/reader.ts'
export type { SwapPlace, SwapRow } from './read/swap-row.ts'
export type { SwapPage, SwapSelection, SwapWindow, SwapWindowOptions } from './read/swap-window.ts'
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
  ReorgTooDeep,
  StoreError,
} from './store-error.ts'
