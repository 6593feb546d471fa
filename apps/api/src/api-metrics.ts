import { SECOND } from '@dexfeed/dex'
import type { ListedNetwork } from '@dexfeed/store'
import type { Request, Response } from 'express'
import { Counter, collectDefaultMetrics, Gauge, Histogram, type Registry } from 'prom-client'

const METHODS = new Set(['GET', 'HEAD', 'OPTIONS'])

export type ApiMetrics = ReturnType<typeof apiMetrics>

/** @param listed returns the networks of the list of swaps @param now returns seconds since 1970 */
export function apiMetrics(registry: Registry, listed: () => readonly ListedNetwork[], now: () => number) {
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  new Gauge({
    name: 'dexfeed_api_head_age_seconds',
    help: 'Seconds since the time of the last indexed block',
    labelNames: ['network'] as const,
    registers,
    collect() {
      this.reset()
      for (const { network, head } of listed()) {
        if (head !== null) this.set({ network }, Math.max(0, now() - head.timestamp))
      }
    },
  })
  const duration = new Histogram({
    name: 'dexfeed_api_request_seconds',
    help: 'Seconds until the response ended',
    labelNames: ['method', 'route', 'status'] as const,
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60],
    registers,
  })
  // prom-client would build a text of all labels for each lookup.
  const known = new Map<string, Histogram.Internal<'method' | 'route' | 'status'>>()
  const seriesOf = (request: Request, response: Response) => {
    const method = METHODS.has(request.method) ? request.method : 'other'
    const pattern: unknown = request.route?.path
    const route = typeof pattern === 'string' ? pattern : 'none'
    const status = response.statusCode
    const key = `${method} ${status} ${route}`
    let series = known.get(key)
    if (series === undefined) {
      series = duration.labels({ method, route, status })
      known.set(key, series)
    }
    return series
  }
  return {
    /** Labels use the route's pattern, never a path that a client made up. */
    observe: (request: Request, response: Response, ms: number) => seriesOf(request, response).observe(ms / SECOND),
    unpricedSwaps: new Gauge({
      name: 'dexfeed_api_unpriced_swaps',
      help: 'Swaps without a USD value in the last list of 24 hours',
      registers,
    }),
    flaggedSwaps: new Gauge({
      name: 'dexfeed_api_flagged_swaps',
      help: 'Swaps with a flag in the last list of 24 hours',
      registers,
    }),
    openStreams: new Gauge({ name: 'dexfeed_api_open_streams', help: 'Lists of swaps being sent', registers }),
    cutStreams: new Counter({
      name: 'dexfeed_api_cut_streams_total',
      help: 'Lists of swaps that were cut off before their end',
      labelNames: ['reason'] as const,
      registers,
    }),
    listeners: new Gauge({ name: 'dexfeed_api_listeners', help: 'Connections to the stream of changes', registers }),
    slowListeners: new Counter({
      name: 'dexfeed_api_slow_listeners_total',
      help: 'Connections to the stream of changes that were closed because they read too slowly',
      registers,
    }),
    quotesOverBudget: new Counter({
      name: 'dexfeed_api_quotes_over_budget_total',
      help: 'Quotes refused with 503 because they took too much work',
      registers,
    }),
  }
}
