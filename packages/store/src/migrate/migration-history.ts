import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ClientBase, Pool } from 'pg'
import type { Database } from '../database/database.ts'
import { DatabaseNotMigrated, DatabaseTooNew, MigrationFailed } from '../store-error.ts'

export interface Migration {
  name: string
  sql: string
}

export function migrationsFolder(): string {
  for (let folder = dirname(fileURLToPath(import.meta.url)); ; folder = dirname(folder)) {
    const candidate = join(folder, 'prisma', 'migrations')
    if (existsSync(candidate)) return candidate
    if (folder === dirname(folder)) throw new Error('this installation has no folder prisma/migrations')
  }
}

export function readMigrations(folder: string = migrationsFolder()): Migration[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => ({ name: entry.name, sql: readFileSync(join(folder, entry.name, 'migration.sql'), 'utf8') }))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
}

interface HistoryRow {
  name: string
  finished: boolean
}

/**
 * Checks that exactly this code's migrations are applied. Throws DatabaseNotMigrated, DatabaseTooNew or
 * MigrationFailed.
 */
export async function assertMigrated(database: Database): Promise<void> {
  const known = readMigrations().map((migration) => migration.name)
  const missing = await missingMigrations(database.pool, known)
  if (missing.length > 0) throw new DatabaseNotMigrated(missing)
}

/**
 * Returns the known migrations that the database lacks. Throws DatabaseTooNew if it has an unknown one, and
 * MigrationFailed if one was left unfinished.
 */
export async function missingMigrations(connection: ClientBase | Pool, known: readonly string[]): Promise<string[]> {
  const rows = await readHistory(connection)
  const unknown = rows.map((row) => row.name).filter((name) => !known.includes(name))
  if (unknown.length > 0) throw new DatabaseTooNew(unknown)
  const unfinished = rows.find((row) => !row.finished)
  if (unfinished) {
    throw new MigrationFailed(
      `migration ${unfinished.name} was begun by another tool and not finished, so the state of the database is not known; ` +
        'restore a backup, or undo what it did and set rolled_back_at on its row of _prisma_migrations',
    )
  }
  const applied = new Set(rows.map((row) => row.name))
  return known.filter((name) => !applied.has(name))
}

async function readHistory(connection: ClientBase | Pool): Promise<HistoryRow[]> {
  const table = await connection.query<{ exists: boolean }>(
    `SELECT to_regclass('public._prisma_migrations') IS NOT NULL AS "exists"`,
  )
  if (!table.rows[0]?.exists) return []
  const { rows } = await connection.query<HistoryRow>(
    `SELECT migration_name AS name, finished_at IS NOT NULL AS finished
     FROM public._prisma_migrations WHERE rolled_back_at IS NULL ORDER BY started_at`,
  )
  return rows
}
