import { SECOND } from '@dexfeed/dex'
import { Client, type ClientConfig, DatabaseError, type PoolConfig } from 'pg'
import { parseIntoClientConfig } from 'pg-connection-string'
import { READER_SETTINGS, SESSION_SETTINGS, sessionOptions } from './session-settings.ts'
import { type Silence, WatchedClient, type WatchedConfig } from './watched-client.ts'

/** Short, so that a wrong address is reported quickly. */
const CONNECT_TIMEOUT_MS = 3_500
export interface Patience {
  /** How long to wait before asking, over another connection, whether the server is still working on the statement. */
  silentMs: number
  checkMs: number
  /** Extra wait beyond the server's limit for a statement. */
  marginMs: number
  keepAliveMs: number
  /** How long the server keeps an idle long-lived connection and its locks. */
  idleSessionMs: number
}

/**
 * A connection counts as lost after 20 s, before the server releases its locks. A pause for garbage collection must not
 * look like silence, because reconnecting repeats work.
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
    ...(settings.readOnly ? READER_SETTINGS : {}),
    ...(settings.statementTimeoutMs === undefined ? {} : { statement_timeout: String(settings.statementTimeoutMs) }),
  })
  return {
    ...parts,
    application_name: settings.applicationName,
    // If an option is given twice, the last one counts.
    options: [parts.options, session].filter(Boolean).join(' '),
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    connectionTimeoutMillis: settings.connectTimeoutMs ?? CONNECT_TIMEOUT_MS,
  }
}

/** Returns address and database for messages, without user and password. */
export function connectionTarget(config: ClientConfig): string {
  return `${config.host ?? 'localhost'}:${config.port ?? 5432}/${config.database ?? config.user ?? ''}`
}

export function watchedConfig(url: string, settings: ConnectionSettings): WatchedConfig & { patience: Patience } {
  const { patience = PATIENCE } = settings
  return { ...connectionConfig(url, settings), patience, silence: silenceOf(url, settings) }
}

export function watchedPoolConfig(url: string, settings: ConnectionSettings): PoolConfig & { patience: Patience } {
  const onConnect: PoolConfig['onConnect'] = async (client) => void (await (client as WatchedClient).readBackend())
  return { ...watchedConfig(url, settings), Client: WatchedClient, onConnect }
}

/** If the server limits statements, a connection counts as lost after that limit; otherwise the server is asked. */
function silenceOf(url: string, settings: ConnectionSettings): Silence {
  const { patience = PATIENCE, statementTimeoutMs } = settings
  if (statementTimeoutMs !== undefined) return { afterMs: statementTimeoutMs + patience.marginMs }
  const checking = connectionConfig(url, {
    ...settings,
    applicationName: `${settings.applicationName} check`,
    role: null,
  })
  return {
    afterMs: patience.silentMs,
    isWorking: (backend) => isWorking(checking, backend, patience.checkMs),
  }
}

/**
 * Returns whether a backend is neither idle nor waiting for its client. Returns false if the server does not respond in
 * time. Never throws.
 */
async function isWorking(config: ClientConfig, backend: number, withinMs: number): Promise<boolean> {
  const client = new Client({ ...config, connectionTimeoutMillis: withinMs })
  client.on('error', () => {})
  const late = setTimeout(() => client.connection.stream.destroy(), withinMs)
  try {
    await client.connect()
    // Both columns are null if this user may not read them.
    const { rows } = await client.query<{ works: boolean }>(
      `SELECT coalesce(state NOT LIKE 'idle%' AND wait_event_type IS DISTINCT FROM 'Client', true) AS works
       FROM pg_stat_activity WHERE pid = $1`,
      [backend],
    )
    return rows[0]?.works ?? false
  } catch (error) {
    // A server that refuses the connection is alive.
    return error instanceof DatabaseError
  } finally {
    clearTimeout(late)
    client.connection.stream.destroy()
  }
}
