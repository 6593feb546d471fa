import { Client, type ClientConfig, DatabaseError, type PoolConfig } from 'pg'
import { type ConnectionSettings, connectionConfig, PATIENCE } from './connection-config.ts'
import type { KeepAliveConfig } from './keep-alive-client.ts'
import { type Silence, WatchedClient, type WatchedConfig } from './watched-client.ts'

export function watchedConfig(url: string, settings: ConnectionSettings): WatchedConfig & KeepAliveConfig {
  const { patience = PATIENCE } = settings
  return { ...connectionConfig(url, settings), patience, silence: silenceOf(url, settings) }
}

/** Like `watchedConfig`, for a pool that the caller creates. */
export function watchedPoolConfig(url: string, settings: ConnectionSettings): PoolConfig & KeepAliveConfig {
  const onConnect: PoolConfig['onConnect'] = async (client) => void (await (client as WatchedClient).readBackend())
  return { ...watchedConfig(url, settings), Client: WatchedClient, onConnect }
}

/** A statement with a limit on the server is lost after it; for others the server is asked. */
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
 * Asks the server over another connection whether a backend works: it is neither idle nor waiting for its client. A
 * server that does not respond in time is out of reach. Never throws.
 */
async function isWorking(config: ClientConfig, backend: number, withinMs: number): Promise<boolean> {
  const client = new Client({ ...config, connectionTimeoutMillis: withinMs })
  client.on('error', () => {})
  const late = setTimeout(() => client.connection.stream.destroy(), withinMs)
  try {
    await client.connect()
    // Both are null if this user may not read them.
    const { rows } = await client.query<{ works: boolean }>(
      `SELECT coalesce(state NOT LIKE 'idle%' AND wait_event_type IS DISTINCT FROM 'Client', true) AS works
       FROM pg_stat_activity WHERE pid = $1`,
      [backend],
    )
    return rows[0]?.works ?? false
  } catch (error) {
    // A server that refuses connections now is alive.
    return error instanceof DatabaseError
  } finally {
    clearTimeout(late)
    client.connection.stream.destroy()
  }
}
