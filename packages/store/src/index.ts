export { type Database, type DatabaseOptions, openDatabase } from './database.ts'
export { assertMigrated } from './migrate/assert-migrated.ts'
export { type MigrateOptions, migrate } from './migrate/migrate.ts'
export type { MigrateLog } from './migrate/migrate-log.ts'
export { READER_ROLE } from './migrate/reader-role.ts'
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
