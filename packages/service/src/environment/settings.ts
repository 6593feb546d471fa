import type { Deployment, NetworkName } from '@dexfeed/dex'
import type { LogLevel } from '../logger.ts'

/** What every program takes from its environment. */
export interface ProcessSettings {
  logLevel: LogLevel
  /** Lines for the operator about settings that work, but not as they may have been meant. */
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

/** What an RPC endpoint takes a second, and at once after a rest. */
export interface RpcRate {
  perS: number
  burst: number
  /** Items of JSON-RPC, of which a batch has many, or compute units. */
  unit: 'items' | 'compute units'
}

/** Where history is read in the place of the nodes: a Portal's data set. */
export interface ArchiveSettings {
  url: string
  key: string | null
}

export interface NetworkSettings {
  network: NetworkName
  /** In order of preference; at least one is http(s). */
  rpcUrls: readonly string[]
  /** Of each http(s) URL, in their order; null: not known. */
  rates: readonly (RpcRate | null)[]
  /** Null: history is read from the nodes. */
  archive: ArchiveSettings | null
  /** Prices of methods that are not the usual ones. */
  computeUnits: Readonly<Record<string, number>>
  deployment: Deployment
  /** First block for a fresh database; null: `backfillDays` before the head. */
  startBlock: number | null
}

/** What reading one chain needs, without any database. */
export interface ChainSettings extends ProgramSettings {
  network: NetworkSettings
  pollMs: number
}

/** What an indexer process does: follow the heads, work on the backfill queue, or both. */
export const INDEXER_ROLES = ['follow', 'backfill', 'both'] as const
export type IndexerRole = (typeof INDEXER_ROLES)[number]

/** When a pool's day is flagged as wash trading; shares are percents of its volume of the day. */
interface WashSettings {
  minVolumeUsd: number
  minSwaps: number
  roundTripPercent: number
  topTraders: number
  topTradersPercent: number
  matchedPercent: number
}

export interface IndexerSettings extends ProgramSettings, MetricsSettings {
  /** At least one. */
  networks: readonly NetworkSettings[]
  backfillDays: number
  pollMs: number
  /** Null: the queue is kept in Postgres. */
  redisUrl: string | null
  role: IndexerRole
  /** Jobs of one network that this process works on at a time. */
  backfillConcurrency: number
  /** Whether final blocks are compared with the chain once more. */
  audit: boolean
  /** Which share of the blocks of history is proven, from 0 to 1; null: all of the nodes' and 0.01 of an archive's. */
  proveHistory: number | null
  /** Rows of so many days are kept; null: all. */
  retentionDays: number | null
  /** Port of the queue's board on the loopback interface; null: none. */
  bullBoardPort: number | null
  wash: WashSettings
}

export interface ApiSettings extends ProgramSettings, MetricsSettings {
  /** Null: `databaseUrl` with the read-only role. */
  apiDatabaseUrl: string | null
  port: number
  /** Requests a second and client; 0: no limit. */
  rateLimitPerS: number
  maxQuoteAgeS: number
  /** So many of the most traded pools must be read before a network is ready; 0: none. */
  readyPools: number
  /** Pools without an event for so many days are not quoted and not held in memory; 0: all are. */
  idlePoolDays: number
  /** What the indexer is meant to index, as far as this environment says; the API is not ready without them. */
  networks: readonly NetworkName[]
  /** Proxies in front whose X-Forwarded-For counts, as Express' "trust proxy": how many, or which addresses. */
  trustProxy: number | readonly string[] | null
  /** The folder of rendered parts of lists; null: one beside the embedded database. */
  listCacheDir: string | null
}

export interface MigrateSettings extends ProgramSettings {
  /** Null: no login of its own for the API. */
  apiDatabaseUrl: string | null
}

/** What `npm start` needs: everything that its two programs need. */
export interface StackSettings extends MigrateSettings {
  host: string
  port: number
  metricsPort: number | null
}
