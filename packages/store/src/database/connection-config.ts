import type { ClientConfig } from 'pg'
import { parseIntoClientConfig } from 'pg-connection-string'

/** A few seconds, so that a wrong address is told at the start and does not look like work. */
const CONNECT_TIMEOUT_MS = 3_500
/** A process that stands still in a transaction must not hold its locks for ever. */
const IDLE_LIMIT = '-c idle_in_transaction_session_timeout=60s'

export interface ConnectionSettings {
  /** Shown in pg_stat_activity. */
  applicationName: string
  /** Role that the connection acts as from its beginning. */
  role?: string | null
  /** Every transaction starts read-only. */
  readOnly?: boolean
  statementTimeoutMs?: number
  connectTimeoutMs?: number
}

/** What node-postgres needs for a connection: the URL's parts, our session settings on top of the URL's own. */
export function connectionConfig(url: string, settings: ConnectionSettings): ClientConfig {
  const parts = parseIntoClientConfig(url)
  const session = ['-c TimeZone=UTC', '-c DateStyle=ISO', IDLE_LIMIT]
  if (settings.role) session.push(`-c role=${settings.role}`)
  if (settings.readOnly) session.push('-c default_transaction_read_only=on')
  if (settings.statementTimeoutMs !== undefined) session.push(`-c statement_timeout=${settings.statementTimeoutMs}`)
  return {
    ...parts,
    application_name: settings.applicationName,
    options: [parts.options, ...session].filter(Boolean).join(' '),
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    connectionTimeoutMillis: settings.connectTimeoutMs ?? CONNECT_TIMEOUT_MS,
  }
}

/** `host:port/database`, for messages; never with user or password. */
export function connectionTarget(config: ClientConfig): string {
  return `${config.host ?? 'localhost'}:${config.port ?? 5432}/${config.database ?? config.user ?? ''}`
}
