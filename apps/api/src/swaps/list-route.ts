import { parseSwapsRequest } from '@dexfeed/contract'
import { DAY_S } from '@dexfeed/dex'
import type { Request, RequestHandler, Response } from 'express'
import type { ApiMetrics } from '../api-metrics.ts'
import { isKnown } from '../http/cached-response.ts'
import { clientOf, disconnectSignal } from '../http/limits/client-of.ts'
import type { QuotaLimits, Quotas } from '../http/limits/quotas.ts'
import type { Turns } from '../http/limits/turns.ts'
import { type Encoding, type List, partsOf } from './day/list.ts'
import type { RenderedDay } from './day/rendered-day.ts'
import { type ListHeaderOptions, listHeaders, selectedNetworks } from './list-headers.ts'
import { ListReaders, type Patience, SlowReader } from './list-readers.ts'
import { sendList } from './send-list.ts'

/** Whole lists that are being sent at the same time. */
export const LIST_LIMITS: QuotaLimits = { total: 1_024, perClient: 256 }

export interface ListRouteOptions extends ListHeaderOptions {
  day: Pick<RenderedDay, 'current' | 'list'>
  metrics: Pick<ApiMetrics, 'unpricedSwaps' | 'flaggedSwaps' | 'openStreams' | 'cutStreams'>
  patience: Patience
  quotas: Quotas
  turns: Turns
}

/** Serves `/api/swaps_24h` without a limit: the whole list. Clients at the same time get the same bytes. */
export function listRoute(options: ListRouteOptions): RequestHandler {
  const { metrics, quotas, patience, turns } = options
  const readers = new ListReaders(quotas, patience.minBytesPerS)
  const countOpen = () => metrics.openStreams.set(quotas.held)
  return async (request, response, next) => {
    const { network, cursor, limit } = parseSwapsRequest(request.query)
    if (limit !== undefined) return next()
    const client = clientOf(request)
    const turn = () => turns.next(client)
    const reader = readers.take(client)
    countOpen()
    const disconnected = disconnectSignal(response)
    const signal = AbortSignal.any([disconnected, reader.displaced])
    try {
      const since = options.now() - DAY_S
      const state = await options.day.current(since)
      // All that waited for the state would continue at once.
      await turn()
      const networks = selectedNetworks(state, network)
      const list = await options.day.list(state, { since, network, after: cursor })
      if (network === undefined && cursor === undefined) {
        metrics.unpricedSwaps.set(list.unpriced)
        metrics.flaggedSwaps.set(list.flagged)
      }
      const encoding = request.acceptsEncodings(['gzip', 'identity']) === 'gzip' ? 'gzip' : 'identity'
      response.set(listHeaders(networks, list, network, options))
      if (begin(request, response, list, encoding)) {
        reader.begin()
        await sendList(response, partsOf(list, encoding), {
          patience,
          signal,
          turn,
          onTaken: (bytes) => reader.took(bytes),
        })
      }
      response.end()
    } catch (error) {
      const reason = error instanceof SlowReader ? 'slow' : disconnected.aborted ? 'left' : 'failed'
      if (response.headersSent) metrics.cutStreams.inc({ reason })
      throw error
    } finally {
      reader.leave()
      countOpen()
    }
  }
}

/** Sets the headers of an encoded list. Returns whether a body follows. */
function begin(request: Request, response: Response, { tag, length }: List, encoding: Encoding): boolean {
  const etag = `"${tag}-${encoding}"`
  response.vary('Accept-Encoding')
  response.set('ETag', etag)
  if (isKnown(request, etag)) {
    response.removeHeader('Content-Type')
    response.status(304)
    return false
  }
  if (encoding === 'gzip') response.set('Content-Encoding', 'gzip')
  else response.set('Content-Length', String(length))
  return request.method !== 'HEAD'
}
