import { parseSwapsRequest, writeSwapCursor } from '@dexfeed/contract'
import { DAY_S } from '@dexfeed/dex'
import type { Request, RequestHandler } from 'express'
import { LRUCache } from 'lru-cache'
import { type CachedResponse, inCoding, sendCached, textResponse } from '../http/cached-response.ts'
import { clientOf } from '../http/limits/client-of.ts'
import type { HoldBody } from '../http/limits/held-bodies.ts'
import { Turns } from '../http/limits/turns.ts'
import { type ListState, type Selection, selectedCells, selectedRows } from './day/list.ts'
import { countRows, type ListedRow } from './day/listed-row.ts'
import type { RenderedDay } from './day/rendered-day.ts'
import type { RowStore } from './day/row-store.ts'
import { type ListHeaderOptions, listHeaders, selectedNetworks } from './list-headers.ts'

export interface PageRouteOptions extends ListHeaderOptions {
  day: Pick<RenderedDay, 'current' | 'store'>
  hold: HoldBody
  turns: Turns
}

const MAX_LENGTH = 8 * 1024 * 1024

/** Serves `/api/swaps_24h` with a limit: a page of the list, put together once per state and second. */
export function pageRoute(options: PageRouteOptions): RequestHandler {
  // Separate turns: others do not wait while a file is read.
  const making = new Turns()
  const kept = new LRUCache<string, { state: ListState; since: number; page: CachedResponse }>({
    maxSize: MAX_LENGTH,
    sizeCalculation: ({ page }, key) => page.length + key.length,
  })
  return async (request, response) => {
    const client = clientOf(request)
    const { network, cursor, limit = 0 } = parseSwapsRequest(request.query)
    const since = options.now() - DAY_S
    const state = await options.day.current(since)
    const key = JSON.stringify([request.path, network, cursor, limit])
    const current = () => {
      const known = kept.get(key)
      return known?.state === state && known.since === since ? known.page : undefined
    }
    const makePage = async () => {
      const networks = selectedNetworks(state, network)
      const rows = await firstRows(state, { since, network, after: cursor }, limit + 1, options.day.store)
      const listed = rows.slice(0, limit)
      const last = rows.length > limit ? listed.at(-1) : undefined
      const page = textResponse(`[${listed.map(({ json }) => json).join()}]`, {
        ...listHeaders(networks, countRows(listed), network, options),
        ...(last !== undefined && { Link: nextLink(request, last) }),
      })
      kept.set(key, { state, since, page })
      return page
    }
    // While a request waits for its turn, another one may make the page.
    const page = current() ?? (await making.run(client, async () => current() ?? makePage()))
    const coded = await inCoding(request, response, page)
    await options.turns.next(client)
    options.hold(request, response, coded.length)
    sendCached(request, response, coded)
  }
}

async function firstRows(state: ListState, selection: Selection, count: number, store: RowStore): Promise<ListedRow[]> {
  const rows: ListedRow[] = []
  for (const cell of selectedCells(state, selection)) {
    if (rows.length >= count) break
    for (const row of await selectedRows(cell, selection, store)) rows.push(row)
  }
  return rows.slice(0, count)
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
