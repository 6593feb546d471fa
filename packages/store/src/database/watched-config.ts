import type { PoolConfig } from 'pg'
import { isWorking } from './ask-server.ts'
import { type ConnectionSettings, connectionConfig, PATIENCE } from './connection-config.ts'
import type { KeptConfig } from './kept-client.ts'
import { type Silence, WatchedClient, type WatchedConfig } from './watched-client.ts'

/** What a WatchedClient, or a KeptClient, is made of: our settings, and how it is taken for lost. */
export function watchedConfig(url: string, settings: ConnectionSettings): WatchedConfig & KeptConfig {
  const { patience = PATIENCE } = settings
  return { ...connectionConfig(url, settings), patience, silence: silenceOf(url, settings) }
}

/** The same for a pool that somebody else makes. */
export function watchedPoolConfig(url: string, settings: ConnectionSettings): PoolConfig & KeptConfig {
  const onConnect: PoolConfig['onConnect'] = async (client) => void (await (client as WatchedClient).askBackend())
  return { ...watchedConfig(url, settings), Client: WatchedClient, onConnect }
}

/** A statement that the server limits itself is lost after that limit, others are asked about. */
function silenceOf(url: string, settings: ConnectionSettings): Silence {
  const { patience = PATIENCE, statementTimeoutMs } = settings
  if (statementTimeoutMs !== undefined) return { afterMs: statementTimeoutMs + patience.marginMs }
  const asking = connectionConfig(url, { ...settings, applicationName: `${settings.applicationName} asks`, role: null })
  return {
    afterMs: patience.silentMs,
    isWorking: (backend) => isWorking(asking, backend, patience.answerMs),
  }
}
