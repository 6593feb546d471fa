import { parseSwapsRequest, type SwapsRequest, swapJson, writeSwapCursor } from '@dexfeed/contract'
import { DAY_S } from '@dexfeed/dex'
import {
  coversSince,
  type IndexedNetwork,
  type Reader,
  type SwapPage,
  type SwapRow,
  type SwapSelection,
  type SwapWindow,
  type UnsureSwaps,
} from '@dexfeed/store'
import type { Request, RequestHandler, Response } from 'express'
import type { ApiMetrics } from '../api-metrics.ts'
import { HttpFailure, notNow } from '../http/http-failure.ts'
import { indexedBlocks, isFresh } from '../service/freshness.ts'
import type { TokenCatalog } from '../token-catalog.ts'
import { SlowReader, sendChunks } from './send-chunks.ts'
import { type ListedSwap, type ListSwaps, swapLister } from './swap-lister.ts'

export interface StreamLimits {
  /** Lists that are sent at the same time. */
  maxOpen: number
  /** A list that takes longer is cut off. */
  maxMs: number
  /** A reader that takes nothing for so long is cut off. */
  stallMs: number
}

export interface SwapsRouteOptions {
  reader: Pick<Reader, 'swapWindow' | 'swapPage'>
  catalog: Pick<TokenCatalog, 'tokens'>
  metrics: Pick<ApiMetrics, 'unpricedSwaps' | 'flaggedSwaps' | 'openStreams' | 'cutStreams'>
  maxAgeS: number
  /** Seconds. */
  now: () => number
  limits: StreamLimits
}

/** `/api/swaps_24h`: the whole list as a stream, or a page of it. */
export function swapsRoute(options: SwapsRouteOptions): RequestHandler {
  let open = 0
  return async (request, response) => {
    const query = parseSwapsRequest(request.query)
    if (open >= options.limits.maxOpen) throw notNow('too many lists are being sent')
    options.metrics.openStreams.set(++open)
    const gone = new AbortController()
    response.once('close', () => gone.abort(new Error('the reader is gone')))
    try {
      if (query.limit === undefined) await sendList(request, response, query, gone, options)
      else await sendPage(request, response, { ...query, limit: query.limit }, gone.signal, options)
    } catch (error) {
      if (response.headersSent) options.metrics.cutStreams.inc({ reason: reasonOf(error, gone.signal) })
      throw error
    } finally {
      options.metrics.openStreams.set(--open)
    }
  }
}

async function sendList(
  request: Request,
  response: Response,
  query: SwapsRequest,
  gone: AbortController,
  options: SwapsRouteOptions,
): Promise<void> {
  const { reader, catalog, metrics, limits } = options
  const since = options.now() - DAY_S
  const timer = setTimeout(() => gone.abort(new SlowReader('the list takes too long')), limits.maxMs)
  try {
    const { networks, unsure, batches } = await reader.swapWindow(selectionOf(query, since, gone.signal))
    checkNetwork(query, networks)
    // The first rows are read before the first header is sent, so that what fails at once fails with a status.
    const first = await batches.next()
    setHeaders(response, networks, unsure, since, options)
    if (query.network === undefined && query.cursor === undefined) {
      metrics.unpricedSwaps.set(unsure.unpriced)
      metrics.flaggedSwaps.set(unsure.flagged)
    }
    if (request.method === 'HEAD') {
      await batches.return(undefined)
      response.end()
      return
    }
    const pieces = listPieces(first, batches, swapLister(catalog, networks))
    await sendChunks(response, pieces, { signal: gone.signal, stallMs: limits.stallMs })
    response.end()
  } finally {
    clearTimeout(timer)
  }
}

/** The text of the array, in pieces that belong to the batches. */
async function* listPieces(
  first: IteratorResult<SwapRow[], undefined>,
  batches: SwapWindow['batches'],
  list: ListSwaps,
): AsyncGenerator<string[]> {
  let separator = '['
  for (let batch = first; batch.value !== undefined; batch = await batches.next()) {
    yield (await list(batch.value)).map(({ row, sell, buy }) => {
      const piece = separator + swapJson(row, sell, buy)
      separator = ','
      return piece
    })
  }
  yield [separator === '[' ? '[]' : ']']
}

async function sendPage(
  request: Request,
  response: Response,
  query: SwapsRequest & { limit: number },
  signal: AbortSignal,
  options: SwapsRouteOptions,
): Promise<void> {
  const since = options.now() - DAY_S
  const page = await options.reader.swapPage(selectionOf(query, since, signal), query.limit)
  checkNetwork(query, page.networks)
  const swaps = await swapLister(options.catalog, page.networks)(page.rows)
  setHeaders(response, page.networks, unsureOf(swaps), since, options)
  const next = nextLink(request, page)
  if (next !== null) response.set('Link', next)
  response.send(`[${swaps.map(({ row, sell, buy }) => swapJson(row, sell, buy)).join(',')}]`)
}

function selectionOf({ network, cursor }: SwapsRequest, since: number, signal: AbortSignal): SwapSelection {
  return { since, signal, ...(network && { network }), ...(cursor && { after: cursor }) }
}

function checkNetwork({ network }: SwapsRequest, networks: readonly IndexedNetwork[]): void {
  if (network !== undefined && networks.length === 0) {
    throw new HttpFailure(404, `${network} is not indexed by this server`)
  }
}

function setHeaders(
  response: Response,
  networks: readonly IndexedNetwork[],
  unsure: UnsureSwaps,
  since: number,
  { now, maxAgeS }: SwapsRouteOptions,
): void {
  const complete = networks.every((network) => coversSince(network, since) && isFresh(network, now(), maxAgeS))
  response.set({
    'Cache-Control': 'public, max-age=1',
    'Content-Type': 'application/json; charset=utf-8',
    'X-Data-Complete': String(networks.length > 0 && complete),
    'X-Unpriced-Swaps': String(unsure.unpriced),
    'X-Flagged-Swaps': String(unsure.flagged),
    'X-Indexed-Block': indexedBlocks(networks),
  })
}

function unsureOf(swaps: readonly ListedSwap[]): UnsureSwaps {
  return {
    unpriced: swaps.filter(({ row }) => row.volumeUsd === null).length,
    flagged: swaps.filter(({ row }) => row.flagged).length,
  }
}

/** The same request, going on behind the last row; relative, so that it holds behind any proxy. */
function nextLink(request: Request, { rows, more }: SwapPage): string | null {
  const last = rows.at(-1)
  if (!more || last === undefined) return null
  const query = new URLSearchParams()
  for (const name of ['network', 'limit']) {
    const value = request.query[name]
    if (typeof value === 'string') query.set(name, value)
  }
  query.set('cursor', writeSwapCursor(last))
  return `<${request.path}?${query}>; rel="next"`
}

function reasonOf(error: unknown, gone: AbortSignal): string {
  if (error instanceof SlowReader) return 'slow'
  return gone.aborted ? 'left' : 'failed'
}
