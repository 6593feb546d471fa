import { Client, type ClientConfig, DatabaseError, type PoolConfig } from 'pg'
import { type ConnectionSettings, connectionConfig, PATIENCE } from './connection-config.ts'
import type { KeepAliveConfig } from './keep-alive-client.ts'
import { type Silence, WatchedClient, type WatchedConfig } from './watched-client.ts'

/** Returns what a WatchedClient or KeepAliveClient needs: the settings, and when it is considered lost. */
export function watchedConfig(url: string, settings: ConnectionSettings): WatchedConfig & KeepAliveConfig {
  const { patience = PATIENCE } = settings
  return { ...connectionConfig(url, settings), patience, silence: silenceOf(url, settings) }
}

/** Like `watchedConfig`, for a pool that Prisma or a caller creates. */
export function watchedPoolConfig(url: string, settings: ConnectionSettings): PoolConfig & KeepAliveConfig {
  const onConnect: PoolConfig['onConnect'] = async (client) => void (await (client as WatchedClient).readBackend())
  return { ...watchedConfig(url, settings), Client: WatchedClient, onConnect }
}

/** A statement with a limit on the server is lost after that limit; for other statements the server is queried. */
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
 * Queries the server, over a separate connection, whether a backend still has work to do before it responds. A backend
 * has none if it is idle, if it waits for its client to send or receive, or if it is gone. A server that does not
 * respond in time is out of reach, and the statement is lost. Never throws.
 */
async function isWorking(config: ClientConfig, backend: number, withinMs: number): Promise<boolean> {
  const client = new Client({ ...config, connectionTimeoutMillis: withinMs })
  client.on('error', () => {})
  const late = setTimeout(() => client.connection.stream.destroy(), withinMs)
  try {
    await client.connect()
    // Both are null if this user may not read them: then the backend may be working.
    const { rows } = await client.query<{ works: boolean }>(
      `SELECT coalesce(state NOT LIKE 'idle%' AND wait_event_type IS DISTINCT FROM 'Client', true) AS works
       FROM pg_stat_activity WHERE pid = $1`,
      [backend],
    )
    return rows[0]?.works ?? false
  } catch (error) {
    // A server that accepts no connection now is alive; it is queried again later.
    return error instanceof DatabaseError
  } finally {
    clearTimeout(late)
    client.connection.stream.destroy()
  }
}
