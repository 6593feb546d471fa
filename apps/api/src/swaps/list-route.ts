import { parseSwapsRequest } from '@dexfeed/contract'
import { DAY_S } from '@dexfeed/dex'
import type { Request, RequestHandler, Response } from 'express'
import type { ApiMetrics } from '../api-metrics.ts'
import { isKnown } from '../http/cached-response.ts'
import { HttpFailure } from '../http/http-failure.ts'
import { clientOf } from '../http/limits/client-of.ts'
import type { Quotas } from '../http/limits/quotas.ts'
import type { Turns } from '../http/limits/turns.ts'
import type { Coding, List } from './day/list.ts'
import type { RenderedDay } from './day/rendered-day.ts'
import { type ListHeaderOptions, listHeaders } from './list-headers.ts'
import { ListReaders, SlowReader, type StreamLimits } from './list-readers.ts'
import { sendList } from './send-list.ts'

export interface ListRouteOptions extends ListHeaderOptions {
  day: Pick<RenderedDay, 'withList'>
  metrics: Pick<ApiMetrics, 'unpricedSwaps' | 'flaggedSwaps' | 'openStreams' | 'cutStreams'>
  limits: StreamLimits
  quotas: Quotas
  turns: Turns
}

/** Serves `/api/swaps_24h` without a limit: the whole list. Clients at the same time get the same bytes. */
export function listRoute(options: ListRouteOptions): RequestHandler {
  const { day, metrics, limits, quotas, turns } = options
  const readers = new ListReaders(quotas, limits)
  const countOpen = () => metrics.openStreams.set(quotas.held)
  return async (request, response, next) => {
    const { network, cursor, limit } = parseSwapsRequest(request.query)
    if (limit !== undefined) return next()
    const client = clientOf(request)
    const turn = () => turns.next(client)
    const reader = readers.take(client)
    countOpen()
    response.once('close', () => reader.cut(new Error('the client is gone')))
    try {
      await day.withList({ since: options.now() - DAY_S, network, after: cursor }, async (list, networks) => {
        // All that waited for the list would continue at once.
        await turn()
        if (network !== undefined && networks.length === 0) {
          throw new HttpFailure(404, `${network} is not indexed by this server`)
        }
        if (network === undefined && cursor === undefined) {
          metrics.unpricedSwaps.set(list.unpriced)
          metrics.flaggedSwaps.set(list.flagged)
        }
        const coding: Coding = request.acceptsEncodings(['gzip', 'identity']) === 'gzip' ? 'gzip' : 'identity'
        response.set(listHeaders(networks, list, network, options))
        if (!begin(request, response, coding, list)) return void response.end()
        await sendList(response, list.parts(coding), { reader, stallMs: limits.stallMs, turn })
        response.end()
      })
    } catch (error) {
      const reason = error instanceof SlowReader ? 'slow' : response.closed ? 'left' : 'failed'
      if (response.headersSent) metrics.cutStreams.inc({ reason })
      throw error
    } finally {
      reader.leave()
      countOpen()
    }
  }
}

/** Sets the headers of the coded list. Returns whether a body follows. */
function begin(request: Request, response: Response, coding: Coding, { tag, length }: List): boolean {
  const etag = `"${tag}-${coding}"`
  response.vary('Accept-Encoding')
  response.set('ETag', etag)
  if (isKnown(request, etag)) {
    response.removeHeader('Content-Type')
    response.status(304)
    return false
  }
  if (coding === 'gzip') response.set('Content-Encoding', 'gzip')
  else response.set('Content-Length', String(length))
  return request.method !== 'HEAD'
}
