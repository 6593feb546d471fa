import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { MINUTE, SECOND } from '@dexfeed/dex'
import { PrismaPg } from '@prisma/adapter-pg'
import {
  bindMigrationAwareSqlAdapterFactory,
  type SqlDriverAdapter,
  type SqlMigrationAwareDriverAdapterFactory,
  type Transaction,
} from '@prisma/driver-adapter-utils'
import type * as Glue from '@prisma/schema-engine-wasm/schema_engine_bg'
import type { MigrationList, SchemaEngine } from '@prisma/schema-engine-wasm/schema_engine_bg'
import { ConnectionPool } from '../database/database.ts'
import type { WatchedConfig } from '../database/watched-client.ts'
import { asStoreError, codeOf, MigrationFailed, StoreError } from '../store-error.ts'
import type { Migration } from './migration-history.ts'
import type { MigrateLog } from './roles.ts'

/** A statement that waits for a table makes all later reads of it wait, too. */
const LOCK_TIMEOUT_MS = 2_000

interface TransactionAdapter {
  factory: SqlMigrationAwareDriverAdapterFactory
  firstError(): unknown
  commit(): Promise<void>
  rollback(): Promise<void>
}

/**
 * Opens an adapter that works in one transaction. Prisma's own adapter splits a script at every semicolon, even in a
 * comment, and leaves a failed migration half applied.
 */
async function openTransactionAdapter(config: WatchedConfig): Promise<TransactionAdapter> {
  const base = await new PrismaPg(new ConnectionPool(config), { disposeExternalPool: true }).connect()
  const transaction = await base.startTransaction()
  await transaction.executeRaw(statement(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`))
  let firstError: unknown = null
  const noting: Noting = (work) =>
    work.catch((error: unknown) => {
      firstError ??= error
      throw error
    })
  const adapter = adapterOf(base, transaction, noting)
  const end = async (sql: 'COMMIT' | 'ROLLBACK') => {
    try {
      await noting(transaction.executeRaw(statement(sql)))
    } finally {
      await (sql === 'COMMIT' ? transaction.commit() : transaction.rollback())
      await base.dispose()
    }
  }
  return {
    factory: {
      provider: base.provider,
      adapterName: base.adapterName,
      connect: async () => adapter,
      connectToShadowDb: () => Promise.reject(new Error('migrations are applied without a shadow database')),
    },
    firstError: () => firstError,
    commit: () => end('COMMIT'),
    rollback: () => end('ROLLBACK'),
  }
}

type Noting = <T>(work: Promise<T>) => Promise<T>

function adapterOf(base: SqlDriverAdapter, tx: Transaction, noting: Noting): SqlDriverAdapter {
  return {
    provider: base.provider,
    adapterName: base.adapterName,
    queryRaw: (query) => noting(tx.queryRaw(query)),
    executeRaw: (query) => noting(tx.executeRaw(query)),
    async executeScript(script) {
      // Without arguments all statements of the script are sent together.
      await noting(tx.executeRaw(statement(script)))
    },
    startTransaction: () => Promise.reject(new Error('migrations are applied in one transaction')),
    dispose: async () => {},
  }
}

function statement(sql: string) {
  return { sql, args: [], argTypes: [] }
}

/** lock_not_available: a table is in use for longer than a migration may hold up reads. */
const IN_USE = '55P03'
const PAUSE_MS = 3 * SECOND
const PATIENCE_MS = 10 * MINUTE

/**
 * Applies the missing migrations in one transaction and returns their names. Retries for ten minutes while a table that
 * they change is in use. Throws MigrationFailed without changing the database, or a retryable StoreError if the
 * connection is lost.
 */
export async function applyMigrations(
  config: WatchedConfig,
  migrations: readonly Migration[],
  log: MigrateLog,
): Promise<string[]> {
  const until = Date.now() + PATIENCE_MS
  for (;;) {
    try {
      return await tryMigrations(config, migrations)
    } catch (error) {
      if (!(error instanceof StoreError) || codeOf(error.cause) !== IN_USE || Date.now() > until) throw error
      log.info({}, 'a table is in use by a long read or write, trying again')
      await delay(PAUSE_MS)
    }
  }
}

async function tryMigrations(config: WatchedConfig, migrations: readonly Migration[]): Promise<string[]> {
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
  // If the connection was lost during COMMIT, its outcome is unknown.
  if (retryable) {
    const message = `the migrations were interrupted: all of them are applied or none; migrate again: ${reasonOf(cause)}`
    return new StoreError(message, { retryable, cause })
  }
  return new MigrationFailed(`a migration failed and was undone: ${reasonOf(cause)}`, cause)
}

function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause)
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

const GLUE = '@prisma/schema-engine-wasm/schema_engine_bg'

interface WasmRuntime {
  instantiate(bytes: Uint8Array, imports: object): Promise<{ instance: { exports: Record<string, unknown> } }>
}

let loading: Promise<typeof Glue> | null = null

/**
 * `prisma migrate deploy` downloads a binary on first use, which fails without internet access. This WebAssembly engine
 * needs no download, but has no documented interface.
 */
async function openSchemaEngine(adapter: SqlMigrationAwareDriverAdapterFactory): Promise<SchemaEngine> {
  loading ??= loadGlue()
  const { SchemaEngine } = await loading
  return SchemaEngine.new({ datamodels: undefined }, () => {}, bindMigrationAwareSqlAdapterFactory(adapter))
}

async function loadGlue(): Promise<typeof Glue> {
  const file = join(dirname(createRequire(import.meta.url).resolve(GLUE)), 'schema_engine_bg.wasm')
  const [glue, bytes] = await Promise.all([import(GLUE) as Promise<typeof Glue>, readFile(file)])
  const { WebAssembly: runtime } = globalThis as unknown as { WebAssembly: WasmRuntime }
  const { instance } = await runtime.instantiate(bytes, { './schema_engine_bg.js': { ...glue } })
  glue.__wbg_set_wasm(instance.exports)
  const start = instance.exports.__wbindgen_start
  if (typeof start === 'function') start()
  return glue
}
