import type { Options, Request } from 'autocannon'
import { NETWORK, tokenAddress } from '../quote/fill-market.ts'

interface NeighbourLoad extends Pick<Options, 'connections' | 'pipelining' | 'reconnectRate'> {
  request: (n: number) => Request
}

const FEW = 16
const MANY = 300
const HUBS = 5
const OWN_TOKENS = 1_000
const GZIP = { 'accept-encoding': 'gzip' }

export const NEIGHBOUR_LOADS: Readonly<Record<string, NeighbourLoad>> = {
  quotes: of(FEW, (n) => post('/v1/quotes', { network: NETWORK, quotes: list(100, (at) => quote(n, at)) })),
  quote: of(FEW, (n) => get(`/v1/quote?network=${NETWORK}&${new URLSearchParams(quote(n, n))}`)),
  prices: of(FEW, (n) => post('/v1/prices', { network: NETWORK, tokens: list(1_000, (at) => tokenAddress(n + at)) })),
  batch_quotes: of(FEW, (n) =>
    post('/v1/batch', {
      requests: list(8, (part) => ({
        path: '/v1/quotes',
        body: { network: NETWORK, quotes: list(50, (at) => quote(n + part, at)) },
      })),
    }),
  ),
  batch: of(FEW, (n) =>
    post('/v1/batch', { requests: list(50, (at) => ({ path: `/v1/tokens?limit=100&min_volume=${50 * n + at}` })) }),
  ),
  search: of(FEW, (n) => get(`/v1/search?limit=50&q=${n % 2 === 0 ? 'T' : 'TOK'}${n % 100}`)),
  swaps: of(FEW, (n) => get(`/v1/swaps?limit=1000&min_usd=${n}.5`)),
  csv: of(FEW, (n) => get(`/v1/swaps?limit=1000&min_usd=${n}.25`, { accept: 'text/csv' })),
  guide: of(FEW, (n) => get(`/docs/guide/api?x=${n}`)),
  guide_search: of(FEW, (n) => get(`/docs/guide?q=${'e%20'.repeat(45)}${n}`)),
  list: of(FEW, (n) => get(`/api/swaps_24h?x=${n}`, GZIP)),
  page: of(MANY, (n) => get(`/api/swaps_24h?limit=${1 + (n % 1_000)}`, GZIP)),
  kept_page: of(MANY, () => get('/v1/swaps?limit=1000', GZIP)),
  unknown_fields: of(FEW, () => post('/v1/quotes', Object.fromEntries(list(9_000, (at) => [`k${at}`, 1])))),
  nested_items: of(FEW, () => post('/v1/prices', { network: NETWORK, tokens: list(100, () => list(600, () => 1)) })),
  headers: of(FEW, () => get('/v1/protocols', { accept: list(2_500, (at) => `a/b${at};q=0.${at % 999}`).join() })),
  pipelined: { ...of(FEW, () => get('/livez')), pipelining: 100 },
  health: of(MANY, () => get('/livez')),
  refused: of(MANY, (n) => get(`/none${n}`)),
  // autocannon reports no response after which it connects anew; with a rate of 1, it would report none.
  reconnecting: { ...of(MANY, () => get('/v1/protocols')), reconnectRate: 2 },
}

function of(connections: number, request: NeighbourLoad['request']): NeighbourLoad {
  return { connections, request }
}

function get(path: string, headers: Record<string, string> = {}): Request {
  return { method: 'GET', path, headers }
}

function post(path: string, body: object): Request {
  return { method: 'POST', path, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
}

function list<T>(length: number, item: (at: number) => T): T[] {
  return Array.from({ length }, (_, at) => item(at))
}

function quote(n: number, at: number): Record<string, string> {
  return {
    sell: tokenAddress((n + at) % HUBS),
    buy: tokenAddress(20 + ((n * 7 + at * 31) % OWN_TOKENS)),
    amount: `${1 + ((n * 31 + at * 7_919) % 100_000)}.5`,
    side: at % 2 === 0 ? 'in' : 'out',
    max_splits: '4',
  }
}
