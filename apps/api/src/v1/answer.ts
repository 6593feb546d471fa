import { availableParallelism } from 'node:os'
import {
  csvWriter,
  type HandlerOf,
  InvalidRequest,
  type ListRoute,
  type PostRoute,
  parsePageRequest,
  parseRequest,
  pathParameters,
  type ReadRoute,
  type Route,
  V1_ROUTES,
  type V1Handlers,
} from '@dexfeed/contract'
import { NETWORK_NAMES, type NetworkName } from '@dexfeed/dex'
import type { Extent } from '@dexfeed/store'
import type { CachedRead } from '../http/cache.ts'
import { FairQueue, type QueueLimits } from '../http/limits/quotas.ts'
import { withAddresses } from '../quote/resolve-token.ts'
import type { TokenCatalog } from '../token-catalog.ts'
import type { Answer, Requester } from './dispatcher.ts'
import type { FiguresBoard } from './figures/figures-board.ts'

/**
 * A read alternates between this process and Postgres. As many reads as processors keep about half of these busy and
 * leave the rest to the indexer.
 */
const MAX_SLOTS = 8

const QUEUE: QueueLimits = {
  slots: Math.min(MAX_SLOTS, availableParallelism()),
  perClient: 1_024,
  total: 8_192,
}

const CSV_TYPE = 'text/csv; charset=utf-8; header=present'

const WITH_FIGURES: ReadonlySet<keyof V1Handlers> = new Set([
  'listTokens',
  'getToken',
  'listPools',
  'getPool',
  'search',
])

/** Routes that read the market in memory. They take turns with quotes instead of database reads. */
export const OF_THE_MARKET: ReadonlySet<keyof V1Handlers> = new Set([
  'quoteAmount',
  'quoteMany',
  'getDepth',
  'getPrices',
  'findPrices',
])

/** A read, as a request or a part of a batch states it. */
export interface RawRead {
  operation: keyof V1Handlers
  path: string
  params: Readonly<Record<string, unknown>>
  query: Readonly<Record<string, unknown>>
  /** Whether the header `Accept` prefers CSV. */
  csv: boolean
  body?: unknown
}

export type Answering = (raw: RawRead, by: Requester) => Promise<Answer>

export interface ReadingOptions {
  figures: { soon: FiguresBoard['soon'] }
  catalog: TokenCatalog
  extent: CachedRead<Pick<Extent, 'networks'>>
}

export function readQueue(): FairQueue {
  return new FairQueue(QUEUE)
}

/**
 * Returns what answers reads: it parses, waits for the client's turn, reads and renders. Invalid requests are refused
 * without waiting.
 *
 * @throws InvalidRequest, HttpFailure, StoreError
 */
export function answering(
  handlers: V1Handlers,
  { figures, catalog, extent }: ReadingOptions,
  queue = readQueue(),
): Answering {
  const resolved = <Request extends object>(request: Request) =>
    withAddresses(request, catalog, async () => (await extent()).networks)
  return async (raw, { client, signal, charge }) => {
    const { operation } = raw
    const route: Route = V1_ROUTES[operation]
    const inTurn = async <T>(work: () => Promise<T>): Promise<T> => {
      if (OF_THE_MARKET.has(operation)) return work()
      // A request that waits for figures takes no slot.
      if (WITH_FIGURES.has(operation)) await figures.soon(networkOf(raw))
      return queue.run(client, () => {
        signal.throwIfAborted()
        return work()
      })
    }
    const context = { signal, client }
    if (route.kind === 'list') {
      const { filters, scan, format, page } = parsePageRequest(route, parametersOf(route, raw))
      const list = handlers[operation] as HandlerOf<ListRoute>
      const { headers, ...scanned } = await inTurn(async () => list(await resolved(filters), scan, context))
      const isCsv = format === undefined ? raw.csv : format === 'csv'
      const found = page(scanned)
      const links = [linkTo(raw, 'next', found.next), linkTo(raw, 'prev', found.prev)].filter(Boolean)
      const link = links.length > 0 && { Link: links.join(', ') }
      return {
        headers: { ...(isCsv && { 'Content-Type': CSV_TYPE }), ...link, ...headers },
        text: isCsv ? csvWriter(route.row)(found.data) : JSON.stringify(found),
      }
    }
    const parsed = parseRequest(
      route.request,
      route.kind === 'post' ? bodyOf(raw) : parametersOf(route, raw),
      route.aliases,
    )
    if (route.kind === 'post') charge(route.countedAs((parsed[route.parts] as readonly unknown[]).length) - 1)
    const read = handlers[operation] as HandlerOf<ReadRoute | PostRoute>
    const { body, headers } = await inTurn(async () => read(await resolved(parsed), context))
    return { ...(headers && { headers }), text: JSON.stringify(body) }
  }
}

function networkOf({ params, query }: RawRead): NetworkName | undefined {
  return NETWORK_NAMES.find((name) => name === (params.network ?? query.network))
}

function parametersOf(route: Route, { params, query }: RawRead): Record<string, unknown> {
  if (pathParameters(route.path).some((name) => Object.hasOwn(query, name))) {
    throw new InvalidRequest('a parameter of the path cannot be in the query', 'unknown_parameter')
  }
  return { ...query, ...params }
}

function bodyOf({ query, body }: RawRead): unknown {
  if (Object.keys(query).length === 0) return body
  throw new InvalidRequest('unknown parameter; those of a POST are in its body', 'unknown_parameter')
}

/** Returns a link to another page of the same request. It is relative, so that any proxy can serve it. */
function linkTo({ path, query }: RawRead, rel: string, cursor: string | null): string | null {
  if (cursor === null) return null
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (typeof value === 'string') parameters.set(name, value)
  parameters.set('cursor', cursor)
  return `<${path}?${parameters}>; rel="${rel}"`
}
