import {
  InvalidRequest,
  parseKnown,
  pathParameters,
  type RequestOf,
  UDF_RESOLUTIONS,
  UDF_ROUTES,
  type UdfBody,
  type UdfRoutes,
  V1_ROUTES,
  type V1Body,
  type V1Handlers,
  type V1Row,
} from '@dexfeed/contract'
import { SECOND } from '@dexfeed/dex'
import { type Request, Router } from 'express'
import type { Answering } from '../v1/answer.ts'
import type { Dispatcher, Requester } from '../v1/dispatcher.ts'
import { foundSymbol, ofPool, ofToken, readTicker, type SymbolAsked, symbolInfo } from './udf-symbols.ts'

interface Answer<Body> {
  body: Body
  headers: Readonly<Record<string, string>>
}

/** Reads of `/v1` that one request makes. */
interface Reads {
  read<Body>(operation: keyof V1Handlers, request: Record<string, string>): Promise<Answer<Body>>
}

/** Serves TradingView's UDF protocol from the reads of `/v1`, with their limits. */
export function udfRoutes(answer: Answering, dispatcher: Dispatcher, now: () => number): Router {
  const handlers: Record<keyof UdfRoutes, (query: unknown, reads: Reads) => Promise<string>> = {
    config: (_query, reads) => config(reads),
    symbols: (query, reads) => symbols(parseKnown(UDF_ROUTES.symbols.request, query).symbol, reads),
    search: (query, reads) => search(parseKnown(UDF_ROUTES.search.request, query), reads),
    history: (query, reads) => history(parseKnown(UDF_ROUTES.history.request, query), reads),
    time: async () => String(now()),
  }
  const router = Router()
  for (const [name, { path }] of Object.entries(UDF_ROUTES)) {
    const read = handlers[name as keyof UdfRoutes]
    const dispatched = { key: null, maxAgeS: name === 'time' ? 0 : 1 }
    router.get(path, (request, response) =>
      dispatcher.dispatch(request, response, dispatched, async (by) => ({
        text: await read(request.query, readsOf(answer, request, by)),
      })),
    )
  }
  return router
}

/** Each read after the first counts as a further request of the client. */
function readsOf(answer: Answering, { path }: Request, by: Requester): Reads {
  let reads = 0
  return {
    async read(operation, request) {
      if (reads++ > 0) by.charge(1)
      const inPath = new Set(pathParameters(V1_ROUTES[operation].path))
      const part = (wanted: boolean) =>
        Object.fromEntries(Object.entries(request).filter(([name]) => inPath.has(name) === wanted))
      const raw = { operation, path, params: part(true), query: part(false), csv: false }
      const { text, headers } = await answer(raw, by)
      return { body: JSON.parse(text), headers: headers ?? {} }
    },
  }
}

async function config({ read }: Reads): Promise<string> {
  const { body } = await read<V1Body<'listNetworks'>>('listNetworks', {})
  const exchanges = body.data.map(({ network }) => ({ value: network, name: network, desc: network }))
  return JSON.stringify({
    supported_resolutions: Object.keys(UDF_RESOLUTIONS),
    supports_search: true,
    supports_group_request: false,
    supports_marks: false,
    supports_timescale_marks: false,
    supports_time: true,
    exchanges: [{ value: '', name: 'All networks', desc: '' }, ...exchanges],
    symbols_types: [
      { name: 'All', value: '' },
      { name: 'Tokens', value: 'token' },
      { name: 'Pools', value: 'pool' },
    ],
  } satisfies UdfBody<'config'>)
}

async function symbols(ticker: string, { read }: Reads): Promise<string> {
  const asked = readTicker(ticker)
  const { network, address } = asked
  const described =
    asked.type === 'token'
      ? ofToken((await read<V1Row<'listTokens'>>('getToken', { network, address })).body)
      : ofPool((await read<V1Row<'listPools'>>('getPool', { network, address })).body, asked.currency)
  return JSON.stringify({ ...symbolInfo(described), ticker } satisfies UdfBody<'symbols'>)
}

const MAX_FOUND = 50

async function search(
  { query, exchange, type, limit }: RequestOf<UdfRoutes['search']['request']>,
  { read }: Reads,
): Promise<string> {
  if (query.trim() === '') return '[]'
  const max = Math.min(limit, MAX_FOUND)
  const request = { q: query, limit: String(max), ...(exchange !== '' && { network: exchange }) }
  const { body } = await read<V1Body<'search'>>('search', request)
  const tokens = type === 'pool' ? [] : body.tokens.map(ofToken)
  const pools = type === 'token' ? [] : body.pools.map((pool) => ofPool(pool, 'usd'))
  return JSON.stringify([...tokens, ...pools].slice(0, max).map(foundSymbol) satisfies UdfBody<'search'>)
}

const MAX_BARS = 5_000
const PAGE_BARS = 1_000
/** Candles begin later than this. */
const FIRST_TIME = Date.UTC(2009, 0) / SECOND

type Bar = V1Row<'listCandles'>
type Page = Answer<{ data: Bar[]; next: string | null }>

async function history(
  { symbol, resolution, from, to, countback }: RequestOf<UdfRoutes['history']['request']>,
  { read }: Reads,
): Promise<string> {
  if (from === undefined && countback === undefined) throw new InvalidRequest('from or countback must be given')
  const wanted = Math.min(MAX_BARS, countback ?? MAX_BARS)
  const since = countback === undefined ? Math.max(FIRST_TIME, from ?? 0) : FIRST_TIME
  if (to <= since) return noData(null)
  const request = {
    ...selectionOf(readTicker(symbol)),
    interval: UDF_RESOLUTIONS[resolution],
    fill: 'true',
    order: 'desc',
    limit: String(Math.min(PAGE_BARS, wanted)),
    from: String(since),
    to: String(to),
  }
  const bars: Bar[] = []
  let reachedTo: string | undefined
  let cursor: string | null = null
  for (let intervals = 0; intervals < MAX_BARS; intervals += PAGE_BARS) {
    const page: Record<string, string> = cursor === null ? request : { ...request, cursor }
    const { body, headers }: Page = await read('listCandles', page)
    bars.push(...body.data.filter(({ close }) => close !== null))
    cursor = body.next
    reachedTo = headers['X-Interval-Span']?.split('/')[0]
    if (cursor === null || bars.length >= wanted) break
  }
  if (bars.length === 0) return noData(cursor === null ? null : (reachedTo ?? null))
  return barsText(bars.slice(0, wanted).reverse())
}

function selectionOf(asked: SymbolAsked): Record<string, string> {
  const { network, address } = asked
  return asked.type === 'token' ? { network, token: address } : { network, pool: address, currency: asked.currency }
}

function noData(before: string | null): string {
  const next = before === null ? {} : { nextTime: Date.parse(before) / SECOND }
  return JSON.stringify({ s: 'no_data', ...next } satisfies UdfBody<'history'>)
}

/** The protocol has numbers; their decimal text is written as it is, so that no digit is lost here. */
function barsText(bars: readonly Bar[]): string {
  const list = (key: string, itemOf: (bar: Bar) => string | number | null) => `"${key}":[${bars.map(itemOf).join()}]`
  const lists = [
    list('t', ({ time }) => Date.parse(time) / SECOND),
    list('o', ({ open }) => open),
    list('h', ({ high }) => high),
    list('l', ({ low }) => low),
    list('c', ({ close }) => close),
    list('v', ({ volume_usd }) => volume_usd),
  ]
  return `{"s":"ok",${lists.join()}}`
}
