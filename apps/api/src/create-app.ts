import { constants } from 'node:zlib'
import { type OpenApiDocument, openApiDocument } from '@dexfeed/contract'
import type { NetworkName } from '@dexfeed/dex'
import type { Logger } from '@dexfeed/service'
import type { Reader } from '@dexfeed/store'
import compression from 'compression'
import express, { type Express } from 'express'
import type { ApiMetrics } from './api-metrics.ts'
import { failureHandler, notFound } from './http/failure-handler.ts'
import { ignoreRequestCacheControl, refuseLongUrls, refuseMissingHost, refuseOtherMethods } from './http/guards.ts'
import { rateLimit } from './http/rate-limit.ts'
import { requestLog } from './http/request-log.ts'
import { allowAnyOrigin, securityHeaders } from './http/security-headers.ts'
import type { MarketFeed } from './quote/market-feed.ts'
import { quoteRoute } from './quote/quote-route.ts'
import { docsRoutes } from './service/docs-routes.ts'
import { liveRoute, readyRoute, statusRoute } from './service/service-routes.ts'
import { type StreamLimits, swapsRoute } from './swaps/swaps-route.ts'
import type { TokenCatalog } from './token-catalog.ts'
import { volumeRoute } from './volume/volume-route.ts'
import { washRoute } from './volume/wash-route.ts'

const VERSION = '0.1.0'
// A list of swaps shrinks to a tenth at the fastest levels already.
const FAST_GZIP = 1
const FAST_BROTLI = { [constants.BROTLI_PARAM_QUALITY]: 1 }

export interface AppOptions {
  reader: Reader
  catalog: TokenCatalog
  feed: Pick<MarketFeed, 'market'>
  log: Logger
  metrics: ApiMetrics
  /** Seconds since 1970. */
  now: () => number
  maxQuoteAgeS: number
  /** So many of the most traded pools must be read before a network is ready; 0: none. */
  readyPools: number
  /** Networks without which the API is not ready, beside those that the database has. */
  networks: readonly NetworkName[]
  rateLimitPerS: number
  trustProxy: number | readonly string[] | null
  streamLimits: StreamLimits
  isDraining: () => boolean
}

/** The HTTP interface. Does no I/O by itself. */
export function createApp(options: AppOptions): Express {
  const { reader, catalog, feed, metrics, now, maxQuoteAgeS: maxAgeS, readyPools, isDraining } = options
  const document: OpenApiDocument = openApiDocument(VERSION)
  const app = express()
  app.disable('x-powered-by')
  app.set('trust proxy', options.trustProxy ?? false)
  app.use(requestLog(options.log))
  app.use(metrics.observe)
  app.use(securityHeaders())
  app.use((_request, response, next) => {
    // Who comes again after the end would find nobody.
    if (isDraining()) response.set('Connection', 'close')
    next()
  })
  app.use(refuseOtherMethods, allowAnyOrigin(), refuseMissingHost, refuseLongUrls, rateLimit(options.rateLimitPerS))
  app.use(ignoreRequestCacheControl)
  app.use(compression({ level: FAST_GZIP, brotli: { params: FAST_BROTLI } }))
  app.get('/api/quote', quoteRoute({ feed, catalog, maxAgeS, now }))
  app.get('/api/swaps_24h', swapsRoute({ reader, catalog, metrics, maxAgeS, now, limits: options.streamLimits }))
  app.get('/api/trade_volume_usd_7d', volumeRoute({ reader, maxAgeS, now }))
  app.get('/v1/wash_flags', washRoute({ reader, now }))
  const service = { reader, feed, expected: options.networks, readiness: { maxAgeS, readyPools }, now, isDraining }
  app.get('/livez', liveRoute)
  app.get('/readyz', readyRoute(service))
  app.get('/status', statusRoute(service))
  app.use(docsRoutes(document))
  app.use(notFound)
  app.use(failureHandler)
  return app
}
