import type { Database } from '../database/database.ts'
import { DatabaseNotMigrated } from '../store-error.ts'
import { missingMigrations } from './migration-history.ts'
import { readMigrations } from './migrations.ts'

/**
 * Checks that the database has exactly the migrations of this code.
 *
 * @throws DatabaseNotMigrated, DatabaseTooNew, MigrationFailed
 */
export async function assertMigrated(database: Database): Promise<void> {
  const known = readMigrations().map((migration) => migration.name)
  const missing = await missingMigrations(database.pool, known)
  if (missing.length > 0) throw new DatabaseNotMigrated(missing)
}
