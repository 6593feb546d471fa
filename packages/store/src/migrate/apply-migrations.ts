import { join } from 'node:path'
import type { MigrationList } from '@prisma/schema-engine-wasm/schema_engine_bg'
import type { WatchedConfig } from '../database/watched-client.ts'
import { asStoreError, MigrationFailed, StoreError } from '../store-error.ts'
import type { Migration } from './migrations.ts'
import { openSchemaEngine } from './schema-engine.ts'
import { openTransactionAdapter } from './transaction-adapter.ts'

/**
 * Applies the missing migrations, all or nothing, and records them in _prisma_migrations. Returns the applied names.
 *
 * @throws MigrationFailed; the database is then as it was. StoreError, retryable, when the connection is lost
 */
export async function applyMigrations(config: WatchedConfig, migrations: readonly Migration[]): Promise<string[]> {
  const adapter = await openTransactionAdapter(config)
  try {
    const engine = await openSchemaEngine(adapter.factory)
    const output = await engine.applyMigrations({
      migrationsList: migrationList(migrations),
      filters: { externalTables: [], externalEnums: [] },
    })
    await adapter.commit()
    return output.appliedMigrationNames
  } catch (error) {
    await adapter.rollback().catch(() => {})
    throw failureOf(adapter.firstError() ?? error)
  }
}

function failureOf(cause: unknown): StoreError {
  const { retryable } = asStoreError(cause)
  // If the connection was lost during COMMIT, its outcome is not known.
  if (retryable) {
    const message = `the migrations were interrupted: all of them are applied or none; migrate again: ${reasonOf(cause)}`
    return new StoreError(message, { retryable, cause })
  }
  return new MigrationFailed(`a migration failed, nothing was changed: ${reasonOf(cause)}`, cause)
}

function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause)
  // A driver error holds the server's message in its cause object.
  const inner: unknown = cause.cause
  const message = typeof inner === 'object' && inner !== null && 'message' in inner ? inner.message : null
  return typeof message === 'string' ? message : cause.message
}

function migrationList(migrations: readonly Migration[]): MigrationList {
  return {
    baseDir: 'prisma/migrations',
    lockfile: { path: 'migration_lock.toml', content: 'provider = "postgresql"\n' },
    shadowDbInitScript: '',
    migrationDirectories: migrations.map(({ name, sql }) => ({
      path: name,
      migrationFile: { path: join(name, 'migration.sql'), content: { tag: 'ok', value: sql } },
    })),
  }
}
