import {
  GECKOTERMINAL_ROUTES,
  type GeckoterminalRequest,
  type GeckoterminalRoutes,
  geckoterminalNetwork,
  InvalidRequest,
  parseKnown,
  type V1Handlers,
  type V1Row,
} from '@dexfeed/contract'
import { type Address, DAY_S, type NetworkName, usdE8Of, ZERO_ADDRESS } from '@dexfeed/dex'
import { Router } from 'express'
import { HttpFailure } from '../http/http-failure.ts'
import type { FairQueue } from '../http/limits/quotas.ts'
import { tradedAs } from '../quote/prices/price-board.ts'
import { indexedOf } from '../service/freshness.ts'
import { figuresAmong } from '../v1/catalog/catalog-page.ts'
import { poolRows } from '../v1/catalog/pools.ts'
import { tokenRow } from '../v1/catalog/tokens.ts'
import type { Dispatcher, Requester } from '../v1/dispatcher.ts'
import { onePool } from '../v1/one-pool.ts'
import type { V1Context } from '../v1/v1-context.ts'
import {
  candleText,
  dexObject,
  idOf,
  type Listed,
  networkObject,
  type PoolRow,
  pairOf,
  poolObject,
  shownAddress,
  type TokenRow,
  tokenObject,
  tokenOfPool,
  tradeObject,
} from './geckoterminal-objects.ts'

export interface GeckoterminalOptions {
  handlers: V1Handlers
  context: Pick<V1Context, 'reader' | 'extent' | 'board' | 'now'>
  queue: FairQueue
}

interface Reading extends Omit<GeckoterminalOptions, 'queue'> {
  by: Requester
}

type Answered = Promise<{ body: unknown } | { text: string }>
type Handlers = {
  [Name in keyof GeckoterminalRoutes]: (request: GeckoterminalRequest<Name>, reading: Reading) => Answered
}

const BASE = '/adapters/geckoterminal/api/v2'
const PAGE_ROWS = 20
const TOP_POOLS = 3

const HANDLERS: Handlers = {
  networks: async (_, { context }) => whole('/networks', (await context.extent()).networks.map(networkObject)),
  dexes,
  trendingPools: (request, reading) => poolPage(request, {}, reading),
  networkTrendingPools: (request, reading) => poolPage(request, request, reading),
  networkPools: (request, reading) => poolPage(request, request, reading),
  dexPools: ({ dex, ...request }, reading) => poolPage(request, { ...request, protocol: dex }, reading),
  tokenPools: ({ address, ...request }, reading) => poolPage(request, { ...request, token: address }, reading),
  newPools: (request, reading) => poolPage(request, { order_by: 'created' }, reading),
  networkNewPools: (request, reading) => poolPage(request, { ...request, order_by: 'created' }, reading),
  searchPools,
  pools: async ({ network, addresses, include }, reading) => {
    const found = await readPools(
      addresses.map((address) => ({ network, address })),
      reading,
    )
    return poolList(found, include, reading)
  },
  pool: async ({ network, pool: address, include }, reading) => {
    const { body } = await reading.handlers.getPool({ network, address }, reading.by)
    const { data, included } = (await poolList([body], include, reading)).body
    return { body: { data: data[0], ...(included && { included }) } }
  },
  tokens: ({ network, addresses, include }, reading) => tokens(network, addresses, include, reading),
  token: async ({ network, address, include }, reading) => {
    const { data, included } = (await tokens(network, [address], include, reading)).body
    if (data.length === 0) throw new HttpFailure(404, `no indexed pool of ${network} trades this token`)
    return { body: { data: data[0], ...(included && { included }) } }
  },
  tokenPrices,
  ohlcv,
  trades,
}

/** Serves the part of GeckoTerminal's API that its client libraries call, from the reads of `/v1`, in their queue. */
export function geckoterminalRoutes({ queue, ...options }: GeckoterminalOptions, dispatcher: Dispatcher): Router {
  const router = Router()
  const add = <Name extends keyof GeckoterminalRoutes>(name: Name) => {
    router.get(`${BASE}${GECKOTERMINAL_ROUTES[name].path}`.replaceAll(/\{(\w+)\}/g, ':$1'), (request, response) => {
      const { path, query, params } = request
      return dispatcher.dispatch(request, response, { key: [path, query], maxAgeS: 1 }, async (by) => {
        const asked = parseKnown<GeckoterminalRoutes[Name]['request']>(GECKOTERMINAL_ROUTES[name].request, {
          ...query,
          ...params,
        })
        // A request that waits for figures takes no place in the queue.
        await options.context.board.soon('network' in asked ? asked.network : undefined)
        const answered = await queue.run(by.client, () => {
          by.signal.throwIfAborted()
          return HANDLERS[name](asked, { ...options, by })
        })
        return 'text' in answered ? answered : { text: JSON.stringify(answered.body) }
      })
    })
  }
  for (const name of Object.keys(GECKOTERMINAL_ROUTES)) add(name as keyof GeckoterminalRoutes)
  return router
}

/** A list that is never longer than a page. */
function whole(path: string, data: readonly unknown[]) {
  const page = `${BASE}${path}?page=1`
  return { body: { data, links: { first: page, prev: null, next: null, last: page } } }
}

async function dexes({ network }: GeckoterminalRequest<'dexes'>, { handlers, context, by }: Reading) {
  indexedOf(network, (await context.extent()).networks)
  const { body } = await handlers.listProtocols({}, by)
  const own = body.data.filter((protocol) => protocol.network === network)
  return whole(
    `/networks/${geckoterminalNetwork(network).id}/dexes`,
    own.map(({ name }) => dexObject(name)),
  )
}

interface Paged {
  page: number
  include: ReadonlySet<string>
}
type PoolFilters = Partial<Pick<Parameters<V1Handlers['listPools']>[0], 'network' | 'token' | 'protocol' | 'order_by'>>

async function poolPage(
  { page, include }: Paged,
  { network, token, protocol, order_by = 'volume' }: PoolFilters,
  reading: Reading,
) {
  const filters = { order_by, ...(network && { network }), ...(token && { token }), ...(protocol && { protocol }) }
  const scan = { order: 'desc', from: null, limit: PAGE_ROWS * page } as const
  const { rows } = await reading.handlers.listPools(filters, scan, reading.by)
  const known = order_by === 'created' ? rows.filter(({ created_at }) => created_at !== null) : rows
  return poolList(known.slice(scan.limit - PAGE_ROWS), include, reading, token)
}

async function searchPools(request: GeckoterminalRequest<'searchPools'>, reading: Reading) {
  const { query, network, page, include } = request
  if (query.trim() === '') return { body: { data: [] } }
  // The search of /v1 has at most 50.
  const limit = Math.min(50, PAGE_ROWS * page)
  const { body } = await reading.handlers.search({ q: query.trim(), limit, ...(network && { network }) }, reading.by)
  const found = body.pools.slice(PAGE_ROWS * (page - 1), PAGE_ROWS * page)
  return poolList(await readPools(found as readonly NamedPool[], reading), include, reading)
}

type NamedPool = Parameters<V1Handlers['getPool']>[0]

/** Leaves out pools that are not indexed. Each further one counts as a request. */
async function readPools(named: readonly NamedPool[], { handlers, by }: Reading): Promise<PoolRow[]> {
  by.charge(Math.max(0, named.length - 1))
  const found: PoolRow[] = []
  for (const { network, address } of named) {
    by.signal.throwIfAborted()
    const read = handlers.getPool({ network, address }, by).catch((error: unknown) => {
      if (error instanceof HttpFailure && error.status === 404) return null
      throw error
    })
    const pool = await read
    if (pool !== null) found.push(pool.body)
  }
  return found
}

async function poolList(rows: readonly PoolRow[], include: ReadonlySet<string>, reading: Reading, token?: Address) {
  const data: Listed[] = []
  const included = new Map<string, Listed>()
  const worths = new Map<NetworkName, Awaited<ReturnType<typeof worthsOf>>>()
  for (const network of new Set(rows.map((row) => row.network))) {
    worths.set(
      network,
      await worthsOf(
        network,
        rows.filter((row) => row.network === network),
        reading,
      ),
    )
  }
  for (const row of rows) {
    const { network, protocol } = row
    const { coinUsd, fdvOf } = worths.get(network) ?? { coinUsd: null, fdvOf: () => null }
    const { base, quote } = pairOf(row)
    data.push(poolObject(row, { coinUsd, fdvUsd: fdvOf(row.base_token), token: token ?? null }))
    const related: [string, Listed][] = [
      ['base_token', tokenOfPool(network, base)],
      ['quote_token', tokenOfPool(network, quote)],
      ['dex', dexObject(protocol)],
      ['network', networkObject({ network })],
    ]
    for (const [name, object] of related) if (include.has(name)) included.set(`${object.type} ${object.id}`, object)
  }
  return { body: { data, ...(include.size > 0 && { included: [...included.values()] }) } }
}

/** Returns the price of the coin, and the diluted value of each base token. */
async function worthsOf(network: NetworkName, pools: readonly PoolRow[], reading: Reading) {
  const bases = pools.map(({ base_token }) => shownAddress(base_token))
  const rows = await tokenRows(network, [ZERO_ADDRESS, ...bases], reading)
  return {
    coinUsd: rows.get(ZERO_ADDRESS)?.price_usd ?? null,
    fdvOf: (base: string) => rows.get(shownAddress(base))?.fdv_usd ?? null,
  }
}

/** Returns known tokens by the requested addresses; the coin as its wrapper. */
async function tokenRows(network: NetworkName, addresses: readonly Address[], { context }: Reading) {
  const boards = context.board.of(network)
  const { wrappedNative } = indexedOf(
    network,
    boards.map((figures) => figures.network),
  )
  const named = new Map(addresses.map((address) => [address, tradedAs(network, address, wrappedNative)]))
  const among = [...new Set(named.values())]
  const page = { network, ascending: true, from: null, limit: among.length }
  const { rows } = await context.reader.findTokens({ filter: { among }, ...page })
  const figuresOf = figuresAmong(boards, 'tokens')
  const found = new Map(rows.map((row) => [row.address, tokenRow(row, figuresOf(row))]))
  return new Map<Address, TokenRow>(
    [...named].flatMap(([address, traded]) => {
      const row = found.get(traded)
      return row === undefined ? [] : [[address, row]]
    }),
  )
}

async function tokens(
  network: NetworkName,
  addresses: readonly Address[],
  include: ReadonlySet<string>,
  reading: Reading,
) {
  reading.by.charge(addresses.length - 1)
  const rows = await tokenRows(network, addresses, reading)
  const data: Listed[] = []
  const included = new Map<string, Listed>()
  for (const address of addresses) {
    const row = rows.get(address)
    if (row === undefined) continue
    reading.by.signal.throwIfAborted()
    const { body } = await poolPage({ page: 1, include: new Set() }, { network, token: address }, reading)
    const top = body.data.slice(0, TOP_POOLS)
    data.push(tokenObject(row, top))
    for (const pool of top) included.set(pool.id, pool)
  }
  return { body: { data, ...(include.has('top_pools') && { included: [...included.values()] }) } }
}

async function tokenPrices(request: GeckoterminalRequest<'tokenPrices'>, reading: Reading) {
  const { network, addresses } = request
  const rows = [...(await tokenRows(network, addresses, reading))]
  const each = (read: (row: TokenRow) => string | null) =>
    Object.fromEntries(rows.map(([address, row]) => [address, read(row)]))
  const attributes = {
    token_prices: each(({ price_usd }) => price_usd),
    ...(request.include_market_cap && {
      market_cap_usd: each(({ fdv_usd }) => (request.mcap_fdv_fallback ? fdv_usd : null)),
    }),
    ...(request.include_24hr_vol && { h24_volume_usd: each(({ volume_24h_usd }) => volume_24h_usd) }),
    ...(request.include_24hr_price_change && {
      h24_price_change_percentage: each(({ price_change_24h }) => price_change_24h),
    }),
    ...(request.include_total_reserve_in_usd && { total_reserve_in_usd: each(({ liquidity_usd }) => liquidity_usd) }),
  }
  return { body: { data: { id: idOf(network, addresses.join()), type: 'simple_token_price', attributes } } }
}

type CandleFilters = Parameters<V1Handlers['listCandles']>[0]

const INTERVALS: Record<'minute' | 'hour' | 'day', Readonly<Record<string, CandleFilters['interval']>>> = {
  minute: { 1: '1m', 5: '5m', 15: '15m' },
  hour: { 1: '1h', 4: '4h' },
  day: { 1: '1d' },
}
const PAGE_CANDLES = 1_000
const MAX_PAGES = 10

async function ohlcv(request: GeckoterminalRequest<'ohlcv'>, reading: Reading) {
  const { network, pool, timeframe, aggregate, before_timestamp: to, limit, currency } = request
  const intervals = INTERVALS[timeframe]
  const interval = Object.hasOwn(intervals, aggregate) ? intervals[aggregate] : undefined
  if (interval === undefined) {
    throw new InvalidRequest(`aggregate must be one of ${Object.keys(intervals).join(', ')} for ${timeframe}`)
  }
  const { base, quote } = await pairOfPool(network, pool, reading)
  const named = request.token === 'quote' ? quote.address : request.token === 'base' ? base.address : request.token
  const filters = {
    network,
    pool,
    token: [shownAddress(named)],
    interval,
    fill: request.include_empty_intervals,
    ...{ currency: currency === 'token' ? ('quote' as const) : currency, ...(to !== undefined && { to }) },
  }
  const candles: V1Row<'listCandles'>[] = []
  let from: number | null = null
  for (let pages = 0; pages < MAX_PAGES && candles.length < limit; pages++) {
    reading.by.signal.throwIfAborted()
    if (pages > 0) reading.by.charge(1)
    const scan = { order: 'desc', from, limit: filters.fill ? limit : PAGE_CANDLES } as const
    const page: Awaited<ReturnType<V1Handlers['listCandles']>> = await reading.handlers.listCandles(
      filters,
      scan,
      reading.by,
    )
    candles.push(...page.rows.filter(({ close }) => close !== null))
    from = page.reached
    if (from === null) break
  }
  const meta = { base: tokenOfPool(network, base).attributes, quote: tokenOfPool(network, quote).attributes }
  // The protocol has numbers; their decimal text is written as it is, so that no digit is lost here.
  const list = candles.slice(0, limit).map(candleText).join()
  const data = `{"id":${JSON.stringify(idOf(network, pool))},"type":"ohlcv_request_response","attributes":{"ohlcv_list":[${list}]}}`
  return { text: `{"data":${data},"meta":${JSON.stringify(meta)}}` }
}

async function pairOfPool(network: NetworkName, address: NamedPool['address'], { context }: Reading) {
  const { pool } = await onePool(context, network, address)
  const found = { ...pool, network }
  const figures = figuresAmong(context.board.of(network), 'pools')(found)
  const [row] = await poolRows(context, [{ row: found, figures }])
  if (row === undefined) throw new Error('a pool has a row')
  return pairOf(row)
}

const MAX_TRADES = 300

async function trades(request: GeckoterminalRequest<'trades'>, reading: Reading) {
  const { network, pool: address, trade_volume_in_usd_greater_than: least, token } = request
  const { handlers, by, context } = reading
  const leastE8 = usdE8Of(least)
  const filters = { network, address, from: context.now() - DAY_S }
  const found: V1Row<'listPoolTrades'>[] = []
  let from: Parameters<V1Handlers['listPoolTrades']>[1]['from'] = null
  for (let pages = 0; pages < MAX_PAGES && found.length < MAX_TRADES; pages++) {
    by.signal.throwIfAborted()
    if (pages > 0) by.charge(1)
    const page: Awaited<ReturnType<V1Handlers['listPoolTrades']>> = await handlers.listPoolTrades(
      filters,
      { order: 'desc', from, limit: MAX_TRADES },
      by,
    )
    const isWanted = ({ volume_usd: value }: (typeof found)[number]) => value !== null && usdE8Of(value) > leastE8
    found.push(...(leastE8 === 0n ? page.rows : page.rows.filter(isWanted)))
    from = page.reached
    if (from === null) break
  }
  return { body: { data: found.slice(0, MAX_TRADES).map((row) => tradeObject(network, row, token)) } }
}
