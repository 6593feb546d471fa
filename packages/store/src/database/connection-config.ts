import { SECOND } from '@dexfeed/dex'
import type { ClientConfig } from 'pg'
import { parseIntoClientConfig } from 'pg-connection-string'
import { SESSION_SETTINGS, sessionOptions } from './session-settings.ts'

/** So that a wrong address is reported quickly. */
const CONNECT_TIMEOUT_MS = 3_500
/** How long to wait for a connection that is silent but not closed. */
export interface Patience {
  /** Before asking over another connection whether the server still works on a statement. */
  silentMs: number
  /** For the response to that question. */
  checkMs: number
  /** For a statement with a limit on the server, beyond that limit. */
  marginMs: number
  keepAliveMs: number
  /** How long the server keeps an idle long-lived connection and its locks. */
  idleSessionMs: number
}

/**
 * We give up a long-lived connection after 20 s, before the server releases its locks. A pause for garbage collection
 * must not look like silence, because reconnecting repeats work.
 */
export const PATIENCE: Patience = {
  silentMs: 5 * SECOND,
  checkMs: 10 * SECOND,
  marginMs: 5 * SECOND,
  keepAliveMs: 4 * SECOND,
  idleSessionMs: 30 * SECOND,
}

export interface ConnectionSettings {
  applicationName: string
  role?: string | null
  readOnly?: boolean
  statementTimeoutMs?: number
  connectTimeoutMs?: number
  patience?: Patience
}

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

/** For messages, so without user and password. */
export function connectionTarget(config: ClientConfig): string {
  return `${config.host ?? 'localhost'}:${config.port ?? 5432}/${config.database ?? config.user ?? ''}`
}
