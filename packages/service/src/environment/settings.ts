import type { Deployment, NetworkName } from '@dexfeed/dex'
import type { LogLevel } from '../logger.ts'

export interface ProcessSettings {
  logLevel: LogLevel
  warnings: readonly string[]
}

export interface ProgramSettings extends ProcessSettings {
  /** Null: the embedded Postgres. */
  databaseUrl: string | null
}

interface MetricsSettings {
  host: string
  /** Null: no metrics are served. */
  metricsPort: number | null
}

export interface RpcRate {
  perS: number
  burst: number
  /** Items of JSON-RPC (a batch has several), or compute units. */
  unit: 'items' | 'compute units'
}

export interface ArchiveSettings {
  url: string
  key: string | null
}

export interface NetworkSettings {
  network: NetworkName
  /** In order of preference; at least one is http(s). */
  rpcUrls: readonly string[]
  rates: readonly (RpcRate | null)[]
  /** Null: history is read from the nodes. */
  archive: ArchiveSettings | null
  /** Prices of methods that differ from the usual ones. */
  computeUnits: Readonly<Record<string, number>>
  deployment: Deployment
  /** First block for a fresh database; null: `backfillDays` before the head. */
  startBlock: number | null
}

export interface ChainSettings extends ProgramSettings {
  network: NetworkSettings
  pollMs: number
}

export const INDEXER_ROLES = ['follow', 'backfill', 'both'] as const
export type IndexerRole = (typeof INDEXER_ROLES)[number]

/** Limits for flags of wash trading. Shares are percentages of the pool's volume on the day. */
interface WashSettings {
  minVolumeUsd: number
  minSwaps: number
  roundTripPercent: number
  topTraders: number
  topTradersPercent: number
  matchedPercent: number
}

export interface IndexerSettings extends ProgramSettings, MetricsSettings {
  networks: readonly NetworkSettings[]
  backfillDays: number
  pollMs: number
  /** Null: the queue is in Postgres. */
  redisUrl: string | null
  role: IndexerRole
  backfillConcurrency: number
  /** Processes for history if the role is `both`; null: by the number of processors. */
  historyThreads: number | null
  audit: boolean
  /** Share of history blocks that are proven, from 0 to 1. Null: all blocks of nodes, 0.01 of an archive's. */
  proveHistory: number | null
  retentionDays: number | null
  bullBoardPort: number | null
  wash: WashSettings
}

export interface ApiKey {
  name: string
  secret: string
  perSecond: number
}

export interface ApiSettings extends ProgramSettings, MetricsSettings {
  /** Null: `databaseUrl` with the read-only role. */
  apiDatabaseUrl: string | null
  port: number
  rateLimitPerS: number
  apiKeys: readonly ApiKey[]
  keepAliveS: number
  maxQuoteAgeS: number
  /** This many of the most traded pools must be read before a network is ready; 0: none. */
  readyPools: number
  /** After this many days without an event a pool is not quoted and uses no memory; 0: never. */
  idlePoolDays: number
  /** Networks without which the API is not ready. */
  networks: readonly NetworkName[]
  /** Trusted proxies, as Express' "trust proxy": their number or their addresses. */
  trustProxy: number | readonly string[] | null
  listCacheDir: string | null
}

export interface MigrateSettings extends ProgramSettings {
  /** Null: the API has no separate login. */
  apiDatabaseUrl: string | null
}

export interface StackSettings extends MigrateSettings {
  host: string
  port: number
  metricsPort: number | null
}
