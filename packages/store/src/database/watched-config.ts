import type { PoolConfig } from 'pg'
import { isWorking } from './ask-server.ts'
import { type ConnectionSettings, connectionConfig, PATIENCE } from './connection-config.ts'
import type { KeptConfig } from './kept-client.ts'
import { type Silence, WatchedClient, type WatchedConfig } from './watched-client.ts'

/** Returns what a WatchedClient or KeptClient needs: the settings, and when it is considered lost. */
export function watchedConfig(url: string, settings: ConnectionSettings): WatchedConfig & KeptConfig {
  const { patience = PATIENCE } = settings
  return { ...connectionConfig(url, settings), patience, silence: silenceOf(url, settings) }
}

/** The same for a pool that Prisma or a caller creates. */
export function watchedPoolConfig(url: string, settings: ConnectionSettings): PoolConfig & KeptConfig {
  const onConnect: PoolConfig['onConnect'] = async (client) => void (await (client as WatchedClient).readBackend())
  return { ...watchedConfig(url, settings), Client: WatchedClient, onConnect }
}

/** A statement with a limit on the server is lost after that limit; for other statements the server is queried. */
function silenceOf(url: string, settings: ConnectionSettings): Silence {
  const { patience = PATIENCE, statementTimeoutMs } = settings
  if (statementTimeoutMs !== undefined) return { afterMs: statementTimeoutMs + patience.marginMs }
  const asking = connectionConfig(url, { ...settings, applicationName: `${settings.applicationName} asks`, role: null })
  return {
    afterMs: patience.silentMs,
    isWorking: (backend) => isWorking(asking, backend, patience.checkMs),
  }
}
