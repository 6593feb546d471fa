import { setTimeout as delay } from 'node:timers/promises'
import { SECOND } from '@dexfeed/dex'
import { closeServer, createServer, listenOn, urlOf } from '@dexfeed/service'
import type { ListedNetwork, Reader } from '@dexfeed/store'
import type { Registry } from 'prom-client'
import { apiMetrics } from './api-metrics.ts'
import { type AppSettings, createApp } from './create-app.ts'
import { type MarketFeed, startMarketFeed } from './quote/market-feed.ts'
import { type Changes, changeMarks, startChangeFeed } from './service/change-feed.ts'
import { cachedProgress } from './service/service-routes.ts'
import { stateMetrics } from './service/state-metrics.ts'
import { readWebFiles } from './service/web-routes.ts'
import { RenderedDay } from './swaps/day/rendered-day.ts'
import { RowStore } from './swaps/day/row-store.ts'
import { RecentTrades } from './v1/recent/recent-trades.ts'
import { StreamHub } from './v1/stream/stream-hub.ts'
import { streamUpgrades } from './v1/stream/stream-route.ts'

/** Time for a load balancer to notice that the process is no longer ready. */
const DRAIN_MS = SECOND / 2
const FINISH_MS = 8 * SECOND

export interface ApiOptions extends AppSettings {
  reader: Reader
  registry: Registry
  host: string
  port: number
  maxConnections?: number
  now?: () => number
  listCacheDir: string
  webDir: string
  beatMs?: number
  /** For lists: how long a state of the networks is reused, and how long a request waits for new rows. */
  freshMs?: number
  patienceMs?: number
  drainMs?: number
  finishMs?: number
}

export interface RunningApi {
  url: string
  feed: { market: MarketFeed['market'] }
  changes: Changes
  loaded: Promise<void>
  /** Reports not ready, then accepts no more connections. Open requests finish, or are cut off after a few seconds. */
  stop(): Promise<void>
}

/** Starts the API on an open database. @throws Error with host and port if it cannot listen */
export async function startApi(options: ApiOptions): Promise<RunningApi> {
  const { reader, registry, log, now = () => Math.floor(Date.now() / SECOND) } = options
  let listed: readonly ListedNetwork[] = []
  const metrics = apiMetrics(registry, () => listed, now)
  let draining = false
  const store = await openStore(options.listCacheDir)
  const web = await readWebFiles(options.webDir)
  const changes = startChangeFeed({ reader, log })
  const on = { now, mark: changeMarks(changes) }
  const standing = cachedProgress(reader, on)
  const readiness = { maxAgeS: options.maxQuoteAgeS, readyPools: options.readyPools }
  stateMetrics(registry, { standing, now, readiness })
  const feed = startMarketFeed({ reader, changes, log })
  const day = new RenderedDay({
    ...options,
    store,
    changes,
    now,
    onLook(networks) {
      listed = networks
    },
  })
  const recent = new RecentTrades({ reader, changes })
  const hub = new StreamHub({
    ...options,
    recent,
    changes,
    onSlow: () => metrics.slowListeners.inc(),
  })
  const stopAll = () => Promise.all([recent.stop(), changes.stop(), feed.stop(), day.stop()])
  const { listener, messages, isProxy } = createApp({
    ...options,
    feed,
    changes,
    standing,
    day,
    recent,
    hub,
    web,
    metrics,
    ...on,
    isDraining: () => draining,
  })
  const upgrades = streamUpgrades(listener)
  const server = createServer(listener, messages, { ...options, isProxy, upgrades })
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
      await Promise.all([hub.stop(), recent.stop()])
      await closeServer(server, options.finishMs ?? FINISH_MS)
      await stopAll()
    },
  }
}

async function openStore(folder: string): Promise<RowStore> {
  try {
    return await RowStore.open(folder)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new Error(`cannot keep lists in ${folder} (LIST_CACHE_DIR): ${reason}`, { cause })
  }
}
