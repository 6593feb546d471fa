import { HOUR } from '@dexfeed/dex'
import { Client } from 'pg'
import { parseIntoClientConfig } from 'pg-connection-string'
import type { Prisma } from '../generated/client.ts'

/**
 * Overrides settings of the server, database or role: hosted Postgres, for example, limits statements, which would
 * abort a long migration.
 */
export const SESSION_SETTINGS: Readonly<Record<string, string>> = {
  TimeZone: 'UTC',
  DateStyle: 'ISO',
  bytea_output: 'hex',
  extra_float_digits: '1',
  standard_conforming_strings: 'on',
  search_path: 'public',
  // A transaction that waited for a lock must see what the other one has committed.
  default_transaction_isolation: 'read committed',
  default_transaction_deferrable: 'off',
  statement_timeout: '0',
  lock_timeout: '0',
  idle_session_timeout: '0',
  // A process that hangs in a transaction, or has died, must not hold locks forever: its session ends within a minute,
  // even during a COPY.
  idle_in_transaction_session_timeout: '60s',
  tcp_keepalives_idle: '10',
  tcp_keepalives_interval: '5',
  tcp_keepalives_count: '3',
}

/**
 * For sessions that only read, by prepared statements that read few rows of an index. One plan serves all values, because
 * planning and compiling take longer than such a read. A bitmap scan would read all rows before it returns the first.
 */
export const READER_SETTINGS: Readonly<Record<string, string>> = {
  default_transaction_read_only: 'on',
  plan_cache_mode: 'force_generic_plan',
  enable_bitmapscan: 'off',
  jit: 'off',
}

/** A connection that only reads is replaced after this time, and its prepared statements with it. */
export const READER_LIFE_MS = HOUR

/** New in Postgres 17. Older servers refuse it in a connection's options, so the session sets it later. */
export const TRANSACTION_TIMEOUT = 'transaction_timeout'

export function sessionOptions(settings: Readonly<Record<string, string>>): string {
  return Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value.replaceAll(' ', '\\ ')}`)
    .join(' ')
}

export interface ChangedSetting {
  name: string
  value: string
}

const CONNECT_TIMEOUT_MS = 3_500
/** Every server's configuration file sets these. */
const LOCAL = ['TimeZone', 'DateStyle']
/** The session does not set this, because a hosted database turns it on when its disk is full. */
const READ_ONLY = 'default_transaction_read_only'

/** Returns those of the settings above that differ from Postgres' defaults for the URL's user. */
export async function changedSettings(url: string): Promise<ChangedSetting[]> {
  const client = new Client({
    ...parseIntoClientConfig(url),
    application_name: 'dexfeed settings',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  })
  client.on('error', () => {})
  await client.connect()
  try {
    const { rows } = await client.query<ChangedSetting>(
      `SELECT name, current_setting(name) AS value FROM pg_settings
       WHERE name = ANY($1) AND setting IS DISTINCT FROM boot_val
         AND (source IN ('database', 'user', 'database user') OR source = 'configuration file' AND name <> ALL($2))
       ORDER BY lower(name) COLLATE "C"`,
      [[...Object.keys(SESSION_SETTINGS), TRANSACTION_TIMEOUT, READ_ONLY], LOCAL],
    )
    return rows
  } finally {
    await client.end().catch(() => {})
  }
}

export interface DatabaseFacts {
  majorVersion: number
  isReplica: boolean
  freeConnections: number
}

export async function databaseFacts({ prisma }: { prisma: Prisma.TransactionClient }): Promise<DatabaseFacts> {
  const [facts] = await prisma.$queryRaw<[DatabaseFacts]>`
    SELECT current_setting('server_version_num')::int / 10000 AS "majorVersion",
      pg_is_in_recovery() AS "isReplica",
      current_setting('max_connections')::int
        - (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend')::int AS "freeConnections"`
  return facts
}
