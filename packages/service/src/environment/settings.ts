import type { Deployment, NetworkName } from '@dexfeed/dex'
import type { LogLevel } from '../logger.ts'

export interface ProcessSettings {
  logLevel: LogLevel
  warnings: readonly string[]
}

export interface ProgramSettings extends ProcessSettings {
  /** Null for the embedded Postgres. */
  databaseUrl: string | null
}

interface MetricsSettings {
  host: string
  /** Null if no metrics are served. */
  metricsPort: number | null
}

export interface RpcRate {
  perS: number
  burst: number
  /** JSON-RPC requests (each item of a batch counts), or compute units. */
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
  /** Null if history is read from the nodes. */
  archive: ArchiveSettings | null
  /** Prices of methods in compute units, where they differ from the usual ones. */
  computeUnits: Readonly<Record<string, number>>
  deployment: Deployment
  /** First block of a new database. If null, it is `backfillDays` before the head. */
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
  /** Null if the queue is in Postgres. */
  redisUrl: string | null
  role: IndexerRole
  backfillConcurrency: number
  /** Processes for history if the role is `both`. If null, the number depends on the number of processors. */
  historyThreads: number | null
  audit: boolean
  /**
   * Share of history blocks to prove, from 0 to 1. If null, all blocks from nodes, and 0.01 of those from an archive.
   */
  proveHistory: number | null
  retentionDays: number | null
  /** Dropped days since this one are filled in again. In days since 1970 (UTC). */
  restoreSince: number | null
  /** Days then stay until they are in the lake. */
  hasLake: boolean
  bullBoardPort: number | null
  /** A path; null if there are no alerts. */
  alertsConfig: string | null
  /** By the name of the webhook that they sign. */
  alertsSecrets: ReadonlyMap<string, string>
  wash: WashSettings
}

/** A bucket that speaks S3's protocol. */
export interface BucketSettings {
  bucket: string
  /** Empty, or ends with a slash. */
  prefix: string
  /** Null for AWS. */
  endpoint: string | null
  region: string
  accessKeyId: string
  secretAccessKey: string
}

export interface LakeSettings extends ProgramSettings, MetricsSettings {
  lake: { folder: string } | BucketSettings
  /** Null if the API is not answered. */
  readPort: number | null
  clickHouse: { user: string; password: string }
}

export interface ApiKey {
  name: string
  secret: string
  perSecond: number
}

export interface ApiSettings extends ProgramSettings, MetricsSettings {
  /** If null, `databaseUrl` is used with the read-only role. */
  apiDatabaseUrl: string | null
  port: number
  rateLimitPerS: number
  apiKeys: readonly ApiKey[]
  keepAliveS: number
  maxQuoteAgeS: number
  /** A network is ready only when this many of the most traded pools have been read; 0 for none. */
  readyPools: number
  /** A pool without an event for this many days is not quoted and uses no memory; 0 for never. */
  idlePoolDays: number
  networks: readonly NetworkName[]
  /** Trusted proxies, as in Express's "trust proxy": their number or their addresses. */
  trustProxy: number | readonly string[] | null
  listCacheDir: string | null
  /** Of the lake program; null if old days are not read. */
  lakeReadUrl: string | null
}

export interface MigrateSettings extends ProgramSettings {
  /** Null if the API has no separate login. */
  apiDatabaseUrl: string | null
}

export interface StackSettings extends MigrateSettings {
  host: string
  port: number
  metricsPort: number | null
}
