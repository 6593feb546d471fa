import { setTimeout as delay } from 'node:timers/promises'
import { DAY_S, type NetworkName, SECOND } from '@dexfeed/dex'
import { closeServer, createServer, type Logger, listenOn, urlOf } from '@dexfeed/service'
import { type Database, type ListedNetwork, openReader, type Reader } from '@dexfeed/store'
import { Registry } from 'prom-client'
import { apiMetrics } from './api-metrics.ts'
import { createApp } from './create-app.ts'
import { type QuotaLimits, Quotas } from './http/limits/quotas.ts'
import { RateLimit } from './http/limits/rate-limit.ts'
import { type MarketFeed, startMarketFeed } from './quote/market-feed.ts'
import { type ChangeFeed, startChangeFeed } from './service/change-feed.ts'
import { RenderedDay } from './swaps/day/rendered-day.ts'
import { SegmentStore } from './swaps/day/segment-store.ts'
import { STREAM_LIMITS, type StreamLimits } from './swaps/list-route.ts'
import { TokenCatalog } from './token-catalog.ts'
import type { FiguresOptions } from './v1/figures/figures-board.ts'
import { acceptUpgrades } from './v1/stream/accept-upgrades.ts'
import { StreamHub } from './v1/stream/stream-hub.ts'
import { LISTENER_LIMITS } from './v1/stream/stream-route.ts'

/** Time for a load balancer to see that we are no longer ready. */
const DRAIN_MS = SECOND / 2
/** Less than the grace that the process has. */
const FINISH_MS = 8 * SECOND

export interface ApiOptions {
  database: Pick<Database, 'pool' | 'prisma' | 'hold'>
  log: Logger
  host: string
  /** 0: any free port. */
  port: number
  rateLimitPerS: number
  maxQuoteAgeS: number
  /** So many of the most traded pools must be read before a network is ready; 0: none. */
  readyPools: number
  /** Networks without which the API is not ready, beside those that the database has. */
  networks: readonly NetworkName[]
  trustProxy: number | readonly string[] | null
  /** Of all clients together. */
  maxConnections?: number
  registry?: Registry
  reader?: Reader
  /** Seconds since 1970. */
  now?: () => number
  /** Where rendered parts of lists are kept. */
  listCacheDir: string
  streamLimits?: StreamLimits
  /** Of `/v1/stream`: how many may listen, and how far apart is shown that we are there. */
  listenerLimits?: QuotaLimits
  beatMs?: number
  /** How often figures of tokens and pools are read, and how long a request waits for them. */
  figures?: Pick<FiguresOptions, 'figuresRest' | 'patienceMs'>
  /** Of lists: what was looked at so short a time ago is not looked at again, and so long a request waits for new rows. */
  freshMs?: number
  patienceMs?: number
  drainMs?: number
  finishMs?: number
}

export interface RunningApi {
  url: string
  feed: Pick<MarketFeed, 'market'>
  /** Tells of every change of the database that the API learns of. */
  changes: Pick<ChangeFeed, 'subscribe'>
  /** Settles once it was tried to read the pools of all networks, and to render the list, for the first time. */
  loaded: Promise<void>
  /** Not ready any more, then no new connections; open requests end, or are cut off after a few seconds. */
  stop(): Promise<void>
}

/** Starts the API on a database that is open. @throws an error that names host and port when they cannot be had */
export async function startApi(options: ApiOptions): Promise<RunningApi> {
  const { database, log, now = () => Math.floor(Date.now() / SECOND) } = options
  const reader = options.reader ?? openReader(database)
  let listed: readonly ListedNetwork[] = []
  const metrics = apiMetrics(options.registry ?? new Registry(), () => headAges(listed, now()))
  let draining = false
  const store = await openStore(options.listCacheDir)
  const changes = startChangeFeed({ reader, log })
  const feed = startMarketFeed({ reader, changes, log })
  const day = new RenderedDay({
    ...{ reader, store, changes, log, now, lengthS: DAY_S },
    ...(options.freshMs !== undefined && { freshMs: options.freshMs }),
    ...(options.patienceMs !== undefined && { patienceMs: options.patienceMs }),
    onLook(networks) {
      listed = networks
    },
  })
  const hub = new StreamHub({
    ...{ reader, changes, log, onSlow: () => metrics.slowListeners.inc() },
    ...(options.beatMs !== undefined && { beatMs: options.beatMs }),
  })
  const streamLimits = options.streamLimits ?? STREAM_LIMITS
  const limits = {
    rates: new RateLimit(options.rateLimitPerS),
    lists: new Quotas({ total: streamLimits.maxOpen, perClient: streamLimits.maxPerClient }),
  }
  const stopAll = () => Promise.all([changes.stop(), feed.stop(), day.stop()])
  const { listener, messages, isProxy } = createApp({
    ...options,
    ...limits,
    reader,
    feed,
    changes,
    day,
    hub,
    listenerLimits: options.listenerLimits ?? LISTENER_LIMITS,
    metrics,
    now,
    catalog: new TokenCatalog(reader),
    streamLimits,
    isDraining: () => draining,
  })
  const server = createServer(listener, messages, { isProxy, maxConnections: options.maxConnections })
  acceptUpgrades(server, listener)
  try {
    await listenOn(server, options.host, options.port)
  } catch (error) {
    await stopAll()
    throw error
  }
  return {
    url: urlOf(server),
    feed,
    changes,
    loaded: Promise.all([feed.firstRound, day.firstRound]).then(() => undefined),
    async stop() {
      draining = true
      await delay(options.drainMs ?? DRAIN_MS)
      await hub.stop()
      await closeServer(server, options.finishMs ?? FINISH_MS)
      await stopAll()
    },
  }
}

/** Seconds since the indexed head of each network that has one. */
function headAges(networks: readonly ListedNetwork[], now: number): Map<NetworkName, number> {
  const ages = new Map<NetworkName, number>()
  for (const { network, head } of networks) if (head !== null) ages.set(network, Math.max(0, now - head.timestamp))
  return ages
}

async function openStore(folder: string): Promise<SegmentStore> {
  try {
    return await SegmentStore.open(folder)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new Error(`cannot keep lists in ${folder} (LIST_CACHE_DIR): ${reason}`, { cause })
  }
}
