import { SECOND } from '@dexfeed/dex'
import type { ClientConfig } from 'pg'
import { parseIntoClientConfig } from 'pg-connection-string'

/** A few seconds, so that a wrong address is told at the start and does not look like work. */
const CONNECT_TIMEOUT_MS = 3_500
/**
 * What a process holds that stands still in a transaction, or that vanished, must not be held for ever: the server gives
 * up on a session after a minute of the one and some 25 s of the other, also amid a COPY.
 */
const IDLE_LIMIT = '-c idle_in_transaction_session_timeout=60s'
const VANISHED_LIMIT = '-c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=3'

/** How long is waited for a connection that is silent without being closed. */
export interface Patience {
  /** For a statement, before the server is asked by another connection whether it still works at it. */
  silentMs: number
  /** For that answer. */
  answerMs: number
  /** For a statement that the server limits itself, beyond that limit. */
  marginMs: number
  /** Between the signs of life that are asked of a connection which is kept. */
  signMs: number
  /** How long the server keeps a connection that is kept, and its locks, when nothing is asked any more. */
  keptMs: number
}

/**
 * A connection that is kept is lost here after 20 s, before the server gives away what it holds. One that was cut costs
 * what is done again, so that neither a processor that others use nor a pause for garbage may look like silence.
 */
export const PATIENCE: Patience = {
  silentMs: 5 * SECOND,
  answerMs: 10 * SECOND,
  marginMs: 5 * SECOND,
  signMs: 4 * SECOND,
  keptMs: 30 * SECOND,
}

export interface ConnectionSettings {
  /** Shown in pg_stat_activity. */
  applicationName: string
  /** Role that the connection acts as from its beginning. */
  role?: string | null
  /** Every transaction starts read-only. */
  readOnly?: boolean
  statementTimeoutMs?: number
  connectTimeoutMs?: number
  /** The default is meant for use, others for tests. */
  patience?: Patience
}

/** What node-postgres needs for a connection: the URL's parts, our session settings on top of the URL's own. */
export function connectionConfig(url: string, settings: ConnectionSettings): ClientConfig {
  const parts = parseIntoClientConfig(url)
  const session = ['-c TimeZone=UTC', '-c DateStyle=ISO', IDLE_LIMIT, VANISHED_LIMIT]
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
