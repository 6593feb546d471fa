import { parseSwapsRequest, writeSwapCursor } from '@dexfeed/contract'
import { DAY_S } from '@dexfeed/dex'
import type { Request, RequestHandler } from 'express'
import { LRUCache } from 'lru-cache'
import { type CachedResponse, inCoding, sendCached, textResponse } from '../http/cached-response.ts'
import { HttpFailure } from '../http/http-failure.ts'
import { clientOf } from '../http/limits/client-of.ts'
import type { HoldBody } from '../http/limits/held-bodies.ts'
import { Turns } from '../http/limits/turns.ts'
import { cellsOf, type ListState, type Selection, selectedBlocks, selectedDays } from './day/list/list-state.ts'
import { countRows, type RenderedBlock, sliceBlock } from './day/rendered-block.ts'
import type { RenderedDay } from './day/rendered-day.ts'
import type { SegmentStore } from './day/segment-store.ts'
import { type ListHeaderOptions, listHeaders } from './list-headers.ts'

export interface PageRouteOptions extends ListHeaderOptions {
  day: { current: RenderedDay['current']; store: SegmentStore }
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
    const known = kept.get(key)
    const respond = async () => {
      const selection = { since, ...(network && { network }), ...(cursor && { after: cursor }) }
      const page = await readPage(state, selection, limit, options.day.store)
      if (network !== undefined && page.networks.length === 0) {
        throw new HttpFailure(404, `${network} is not indexed by this server`)
      }
      const last = page.blocks.at(-1)
      return textResponse(page.body, {
        ...listHeaders(page.networks, countRows(page.blocks), network, options),
        ...(page.more && last !== undefined && { Link: nextLink(request, last) }),
      })
    }
    const isCurrent = known?.state === state && known.since === since
    const page = isCurrent ? known.page : await making.run(client, respond)
    if (!isCurrent) kept.set(key, { state, since, page })
    const coded = await inCoding(request, response, page)
    await options.turns.next(client)
    options.hold(request, response, coded.length)
    sendCached(request, response, coded)
  }
}

async function readPage(state: ListState, selection: Selection, limit: number, store: SegmentStore) {
  const days = selectedDays(state, selection)
  const blocks: RenderedBlock[] = []
  let left = limit
  let more = false
  for (const [, cells] of cellsOf(days, selection)) {
    for (const block of await selectedBlocks(cells, selection, store)) {
      if (left === 0) more = true
      if (more) break
      blocks.push(sliceBlock(block, 0, left))
      more = block.marks.length > left
      left = Math.max(0, left - block.marks.length)
    }
    if (more) break
  }
  const rows = blocks.map(({ bytes }) => bytes.toString()).join('')
  return { networks: days.map(({ network }) => network), blocks, more, body: `[${rows.slice(1)}]` }
}

/** Returns the same request, continued after the last row. Relative, so that any proxy can serve it. */
function nextLink(request: Request, { network, number, transactions, positions }: RenderedBlock): string {
  const query = new URLSearchParams()
  for (const name of ['network', 'limit']) {
    const value = request.query[name]
    if (typeof value === 'string') query.set(name, value)
  }
  const transactionIndex = transactions.at(-1) ?? 0
  const position = positions.at(-1) ?? 0
  query.set('cursor', writeSwapCursor({ network, blockNumber: number, transactionIndex, position }))
  return `<${request.path}?${query}>; rel="next"`
}
