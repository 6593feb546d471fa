import { SECOND } from '@dexfeed/dex'
import type { ClientConfig } from 'pg'
import { parseIntoClientConfig } from 'pg-connection-string'
import { SESSION_SETTINGS, sessionOptions } from './session-settings.ts'

/** A few seconds, so that a wrong address is reported at the start and does not look like work. */
const CONNECT_TIMEOUT_MS = 3_500
/** How long to wait for a connection that is silent without being closed. */
export interface Patience {
  /** For a statement, before checking over another connection whether the server still works on it. */
  silentMs: number
  /** For the response to that check. */
  checkMs: number
  /** For a statement with a limit on the server, beyond that limit. */
  marginMs: number
  /** Between two keep-alive queries on a long-lived connection. */
  keepAliveMs: number
  /** How long the server keeps a long-lived connection, and its locks, without any query. */
  idleSessionMs: number
}

/**
 * A long-lived connection is given up here after 20 s, before the server releases what it holds. Reconnecting repeats
 * work, so neither a busy processor nor a pause for garbage collection may look like silence.
 */
export const PATIENCE: Patience = {
  silentMs: 5 * SECOND,
  checkMs: 10 * SECOND,
  marginMs: 5 * SECOND,
  keepAliveMs: 4 * SECOND,
  idleSessionMs: 30 * SECOND,
}

export interface ConnectionSettings {
  /** Shown in pg_stat_activity. */
  applicationName: string
  /** Role that the connection uses from its beginning. */
  role?: string | null
  /** Every transaction starts read-only. */
  readOnly?: boolean
  statementTimeoutMs?: number
  connectTimeoutMs?: number
  /** The default is for production; tests set other values. */
  patience?: Patience
}

/** Returns what node-postgres needs for a connection: the URL's parts, with these settings added to its own. */
export function connectionConfig(url: string, settings: ConnectionSettings): ClientConfig {
  const parts = parseIntoClientConfig(url)
  const session = sessionOptions({
    ...SESSION_SETTINGS,
    ...(settings.role ? { role: settings.role } : {}),
    ...(settings.readOnly ? { default_transaction_read_only: 'on' } : {}),
    ...(settings.statementTimeoutMs === undefined ? {} : { statement_timeout: String(settings.statementTimeoutMs) }),
  })
  return {
    ...parts,
    application_name: settings.applicationName,
    // The last one counts.
    options: [parts.options, session].filter(Boolean).join(' '),
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    connectionTimeoutMillis: settings.connectTimeoutMs ?? CONNECT_TIMEOUT_MS,
  }
}

/** Returns `host:port/database`, for messages; never with user or password. */
export function connectionTarget(config: ClientConfig): string {
  return `${config.host ?? 'localhost'}:${config.port ?? 5432}/${config.database ?? config.user ?? ''}`
}
