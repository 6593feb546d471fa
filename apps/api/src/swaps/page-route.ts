import { parseSwapsRequest, writeSwapCursor } from '@dexfeed/contract'
import { DAY_S } from '@dexfeed/dex'
import type { Request, RequestHandler } from 'express'
import { LRUCache } from 'lru-cache'
import { type CachedResponse, inCoding, sendCached, textResponse } from '../http/cached-response.ts'
import { HttpFailure } from '../http/http-failure.ts'
import { clientOf } from '../http/limits/client-of.ts'
import type { HoldBody } from '../http/limits/held-bodies.ts'
import { Turns } from '../http/limits/turns.ts'
import { selectRows } from './day/list.ts'
import { countRows, type ListedRow } from './day/listed-row.ts'
import { networksOf, type RenderedDay } from './day/rendered-day.ts'
import { type ListHeaderOptions, listHeaders } from './list-headers.ts'

export interface PageRouteOptions extends ListHeaderOptions {
  day: Pick<RenderedDay, 'withState' | 'store'>
  hold: HoldBody
  turns: Turns
}

const MAX_LENGTH = 8 * 1024 * 1024

/** Serves `/api/swaps_24h` with a limit: a page of the list, put together once per state and second. */
export function pageRoute(options: PageRouteOptions): RequestHandler {
  const { day } = options
  // Separate turns: others do not wait while a file is read.
  const making = new Turns()
  const kept = new LRUCache<string, CachedResponse>({
    maxSize: MAX_LENGTH,
    sizeCalculation: ({ length }, key) => length + key.length,
  })
  return async (request, response) => {
    const client = clientOf(request)
    const { network, cursor: after, limit = 0 } = parseSwapsRequest(request.query)
    const selection = { since: options.now() - DAY_S, network, after }
    const page = await day.withState(selection.since, async (state) => {
      const key = JSON.stringify([request.path, selection, limit, state.id])
      const known = kept.get(key)
      if (known !== undefined) return known
      const networks = networksOf(state, network)
      if (network !== undefined && networks.length === 0) {
        throw new HttpFailure(404, `${network} is not indexed by this server`)
      }
      const cells = state.cells.get(network) ?? []
      const rows = await making.run(client, () => selectRows(cells, selection, limit + 1, day.store))
      const listed = rows.slice(0, limit)
      const last = rows.length > limit ? listed.at(-1) : undefined
      const made = textResponse(`[${listed.map(({ json }) => json).join()}]`, {
        ...listHeaders(networks, countRows(listed), network, options),
        ...(last !== undefined && { Link: nextLink(request, last) }),
      })
      kept.set(key, made)
      return made
    })
    const coded = await inCoding(request, response, page)
    await options.turns.next(client)
    options.hold(request, response, coded.length)
    sendCached(request, response, coded)
  }
}

/** Returns the same request, continued after the last row. Relative, so that any proxy can serve it. */
function nextLink(request: Request, last: ListedRow): string {
  const query = new URLSearchParams()
  for (const name of ['network', 'limit']) {
    const value = request.query[name]
    if (typeof value === 'string') query.set(name, value)
  }
  query.set('cursor', writeSwapCursor(last))
  return `<${request.path}?${query}>; rel="next"`
}
