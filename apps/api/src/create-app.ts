import type { RequestListener } from 'node:http'
import { constants } from 'node:zlib'
import { V1_STREAM } from '@dexfeed/contract'
import type { NetworkName } from '@dexfeed/dex'
import type { ApiKey, Logger, MessageClasses } from '@dexfeed/service'
import type { Reader } from '@dexfeed/store'
import compression from 'compression'
import express, { type Express, type Request, type Response } from 'express'
import { dexscreenerRoutes } from './adapters/dexscreener.ts'
import { geckoterminalRoutes } from './adapters/geckoterminal.ts'
import type { ApiMetrics } from './api-metrics.ts'
import { cachedRead, type Dependencies } from './http/cache.ts'
import {
  closeWhile,
  guarded,
  ignoreRequestCacheControl,
  refuseBadHost,
  refuseLongUrls,
  refuseOtherMethods,
} from './http/guards.ts'
import { failureHandler, notFound, refuseTarget } from './http/http-failure.ts'
import { withoutPort } from './http/limits/client-of.ts'
import { heldBodies } from './http/limits/held-bodies.ts'
import { type QuotaLimits, Quotas } from './http/limits/quotas.ts'
import { RateLimit } from './http/limits/rate-limit.ts'
import { inTurn, Turns } from './http/limits/turns.ts'
import { messageClasses } from './http/message-classes.ts'
import { requestLog } from './http/request-log.ts'
import { answerPreflight, anyOrigin, securityHeaders } from './http/security-headers.ts'
import type { MarketFeed } from './quote/market-feed.ts'
import { PriceBoard } from './quote/prices/price-board.ts'
import { QuoteDesk } from './quote/quote-desk.ts'
import { quoteRoute } from './quote/quote-route.ts'
import type { Changes } from './service/change-feed.ts'
import { docsRoutes } from './service/docs-routes.ts'
import { type CachedProgress, liveRoute, readyRoute, statusRoute } from './service/service-routes.ts'
import { missingPage, type WebFiles, webRoutes } from './service/web-routes.ts'
import type { RenderedDay } from './swaps/day/rendered-day.ts'
import { PATIENCE, type Patience } from './swaps/list-readers.ts'
import { LIST_LIMITS, listRoute } from './swaps/list-route.ts'
import { pageRoute } from './swaps/page-route.ts'
import { TokenCatalog } from './token-catalog.ts'
import { udfRoutes } from './udf/udf-routes.ts'
import { answering, readQueue } from './v1/answer.ts'
import { catalogCounts } from './v1/catalog-counts.ts'
import { Dispatcher } from './v1/dispatcher.ts'
import { FiguresBoard } from './v1/figures/figures-board.ts'
import type { FiguresTiming } from './v1/figures/read-figures.ts'
import { pagePreviews } from './v1/page-preview.ts'
import type { RecentTrades } from './v1/recent/recent-trades.ts'
import type { StreamHub } from './v1/stream/stream-hub.ts'
import { LISTENER_LIMITS, streamRoute } from './v1/stream/stream-route.ts'
import { v1Handlers } from './v1/v1-handlers.ts'
import { v1Routes } from './v1/v1-routes.ts'
import { volumeRoute } from './volume/volume-route.ts'

const VERSION = '0.1.0'
const FAST_GZIP = 1
const FAST_BROTLI = { [constants.BROTLI_PARAM_QUALITY]: 1 }

export interface AppSettings {
  log: Logger
  rateLimitPerS: number
  apiKeys?: readonly ApiKey[]
  maxQuoteAgeS: number
  /** Number of the most traded pools whose states must be read before a network is ready. */
  readyPools: number
  networks: readonly NetworkName[]
  trustProxy: number | readonly string[] | null
  listLimits?: QuotaLimits
  listPatience?: Patience
  listenerLimits?: QuotaLimits
  figures?: FiguresTiming
}

export interface AppOptions extends AppSettings, Dependencies {
  reader: Reader
  feed: MarketFeed
  changes: Changes
  standing: CachedProgress
  day: RenderedDay
  recent: RecentTrades
  hub: StreamHub
  metrics: ApiMetrics
  web: WebFiles | null
  isDraining: () => boolean
}

export function createApp(options: AppOptions): {
  listener: RequestListener
  messages: MessageClasses
  isProxy: (address: string) => boolean
  app: Express
} {
  const { reader, feed, changes, day, recent, hub, metrics, now, mark, readyPools, standing, isDraining } = options
  const { maxQuoteAgeS: maxAgeS, networks: expected, listPatience: patience = PATIENCE } = options
  const rates = new RateLimit(options.rateLimitPerS, options.apiKeys)
  const lists = new Quotas(options.listLimits ?? LIST_LIMITS)
  const catalog = new TokenCatalog(reader)
  const counts = catalogCounts(reader, now)
  const app = express()
  app.disable('x-powered-by')
  app.set('trust proxy', options.trustProxy ?? false)
  const isTrusted: (address: string, at: number) => boolean = app.get('trust proxy fn')
  app.set('trust proxy', (address: string, at: number) => isTrusted(withoutPort(address), at))
  const turns = new Turns()
  app.use(inTurn(turns))
  app.use(requestLog(app, options.log, metrics.observe))
  app.use(securityHeaders(), anyOrigin())
  app.use(guarded(closeWhile(isDraining), refuseOtherMethods, refuseBadHost, refuseLongUrls, rates.guard))
  app.use(answerPreflight, guarded(ignoreRequestCacheControl))
  const desk = new QuoteDesk({ feed, maxAgeS, now, onOverBudget: () => metrics.quotesOverBudget.inc() })
  app.get('/api/quote', quoteRoute(desk, catalog))
  app.get('/api/trade_volume_usd_7d', volumeRoute({ reader, maxAgeS, expected }, { now, mark }))
  app.get('/livez', liveRoute)
  app.get('/api/swaps_24h', listRoute({ day, metrics, maxAgeS, expected, now, turns, quotas: lists, patience }))
  app.get(
    V1_STREAM.path,
    streamRoute({
      hub,
      catalog,
      reader,
      metrics,
      protocols: counts.protocols,
      quotas: new Quotas(options.listenerLimits ?? LISTENER_LIMITS),
    }),
  )
  app.use(docsRoutes(VERSION, options.web))
  app.use(compression({ level: FAST_GZIP, brotli: { params: FAST_BROTLI } }))
  const hold = heldBodies()
  app.get('/api/swaps_24h', pageRoute({ day, maxAgeS, expected, now, hold, turns }))
  const board = new FiguresBoard({ reader, feed, changes, log: options.log, now, ...options.figures })
  const state = { standing, readiness: { maxAgeS, readyPools } }
  const extent = cachedRead(async () => ({ value: await reader.extent() }), { mark })
  const prices = new PriceBoard(feed, catalog)
  recent.valuePools(async (network, pools) => {
    const live = feed.market(network)
    if (!live) return new Map()
    await prices.prepare(live)
    await feed.changing(network)
    return new Map(pools.map((pool) => [pool, prices.liquidityE8(live, pool)]))
  })
  const handlers = v1Handlers({ ...state, reader, recent, extent, board, now, desk, catalog, prices, ...counts })
  const queue = readQueue()
  const answer = answering(handlers, { figures: board, catalog, extent }, queue)
  const dispatcher = new Dispatcher({ changes, mark, rates, hold, turns })
  app.use(webRoutes(options.web, pagePreviews(answer, dispatcher)))
  app.use(v1Routes(answer, dispatcher))
  app.use(udfRoutes(answer, dispatcher, now))
  app.use(dexscreenerRoutes({ reader, extent }, queue, dispatcher))
  app.use(geckoterminalRoutes({ handlers, context: { reader, extent, board, now }, queue }, dispatcher))
  const service = { ...state, now, mark, feed, day, expected, isDraining }
  app.get('/readyz', readyRoute(service))
  app.get('/status', statusRoute(service))
  app.use(missingPage(options.web))
  app.use(notFound)
  app.use(failureHandler)
  // Express runs no middleware for a target that it cannot parse.
  const listener: RequestListener = (request, response) =>
    app(request as Request, response as Response, () => refuseTarget(response))
  const isProxy = (address: string) => isTrusted(address, 0)
  return { listener, messages: messageClasses(app), isProxy, app }
}
