import type { Client } from 'pg'
import { connectionTarget, PATIENCE, type Patience, watchedConfig } from '../database/connection-config.ts'
import { ADVISORY_LOCKS } from '../database/locks.ts'
import { WatchedClient } from '../database/watched-client.ts'
import { asStoreError, DatabaseUnreachable } from '../store-error.ts'
import { applyMigrations } from './apply-migrations.ts'
import { type Migration, missingMigrations, readMigrations } from './migration-history.ts'
import { ensureApiUser, ensureReaderRole, type MigrateLog } from './roles.ts'

export interface MigrateOptions {
  /** The API's connection URL. If it names another user, that user is created if necessary. */
  apiUrl?: string | undefined
  log: MigrateLog
  migrations?: readonly Migration[]
  patience?: Patience
}

/**
 * Can be repeated, and run by several processes at the same time. Throws DatabaseUnreachable, DatabaseTooNew or
 * MigrationFailed; a failed migration is undone, and those before it stay. Throws a retryable StoreError if a
 * connection is lost; each migration is then applied in full or not at all.
 */
export async function migrate(url: string, options: MigrateOptions): Promise<{ applied: string[] }> {
  const migrations = options.migrations ?? readMigrations()
  const { patience = PATIENCE } = options
  const config = watchedConfig(url, { applicationName: 'dexfeed migrate', patience })
  const client = new WatchedClient(config)
  try {
    await client.connect()
  } catch (error) {
    throw new DatabaseUnreachable(connectionTarget(config), asStoreError(error).message, error)
  }
  try {
    await client.readBackend()
    await waitForTurn(client, options.log)
    const names = migrations.map((migration) => migration.name)
    const missing = await missingMigrations(client, names)
    const applied: string[] = []
    // On an old database an API may be running, so each migration has its own transaction and holds only its own locks.
    const isNew = missing.length === migrations.length
    for (const last of isNew ? missing.slice(-1) : missing) {
      applied.push(...(await applyMigrations(config, migrations.slice(0, names.indexOf(last) + 1), options.log)))
    }
    await ensureReaderRole(client, options.log)
    if (options.apiUrl !== undefined) await ensureApiUser(client, options.apiUrl, options.log)
    return { applied }
  } catch (error) {
    throw asStoreError(error)
  } finally {
    await client.end()
  }
}

async function waitForTurn(client: Client, log: MigrateLog): Promise<void> {
  const { rows } = await client.query<{ taken: boolean }>('SELECT pg_try_advisory_lock($1, 0) AS taken', [
    ADVISORY_LOCKS.migration,
  ])
  if (rows[0]?.taken) return
  log.info({}, 'another migration of this database is running, waiting for it')
  await client.query('SELECT pg_advisory_lock($1, 0)', [ADVISORY_LOCKS.migration])
}
