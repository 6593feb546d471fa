import { NETWORK, tokenAddress } from '../quote/fill-market.ts'

/** What a client sends again and again to keep others waiting. */
export interface NeighbourLoad {
  connections: number
  /**
   * The bytes of the n-th request. Of one whole request, the response is read before the next; with `isRaw` the
   * connection is used until it ends, or for a second.
   */
  bytes: (n: number) => string | Buffer
  isRaw?: true
}

const FEW = 16
const MANY = 300
const HUBS = 5
const OWN_TOKENS = 1_000
const JSON_TYPE = 'Content-Type: application/json\r\n'
/** Frames of a WebSocket: a text message that continues in 10,000 empty fragments and does not end. Masked with zeros. */
const FRAMES = Buffer.concat([
  Buffer.from([0x01, 0x80, 0, 0, 0, 0]),
  ...Array.from({ length: 10_000 }, () => Buffer.from([0x00, 0x80, 0, 0, 0, 0])),
])

/** The loads of `bench api --part neighbour`, by name. */
export const NEIGHBOUR_LOADS: Readonly<Record<string, NeighbourLoad>> = {
  // Work of the market in memory.
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
  // Work of the database.
  batch: of(FEW, (n) =>
    post('/v1/batch', { requests: list(50, (at) => ({ path: `/v1/tokens?limit=100&min_volume=${50 * n + at}` })) }),
  ),
  search: of(FEW, (n) => get(`/v1/search?limit=50&q=${n % 2 === 0 ? 'T' : 'TOK'}${n % 100}`)),
  swaps: of(FEW, (n) => get(`/v1/swaps?limit=1000&min_usd=${n}.5`)),
  csv: of(FEW, (n) => get(`/v1/swaps?limit=1000&min_usd=${n}.25`, 'Accept: text/csv\r\n')),
  // Rendering and compression.
  guide: of(FEW, (n) => get(`/docs/guide/api?x=${n}`)),
  guide_search: of(FEW, (n) => get(`/docs/guide?q=${'e%20'.repeat(45)}${n}`)),
  list: of(FEW, (n) => get(`/api/swaps_24h?x=${n}`, 'Accept-Encoding: gzip\r\n')),
  page: of(MANY, (n) => get(`/api/swaps_24h?limit=${1 + (n % 1_000)}`, 'Accept-Encoding: gzip\r\n')),
  kept_page: of(MANY, () => get('/v1/swaps?limit=1000', 'Accept-Encoding: gzip\r\n')),
  // Parsing.
  unknown_fields: of(FEW, () => post('/v1/quotes', Object.fromEntries(list(9_000, (at) => [`k${at}`, 1])))),
  nested_items: of(FEW, () => post('/v1/prices', { network: NETWORK, tokens: list(100, () => list(600, () => 1)) })),
  headers: of(FEW, () => get('/v1/protocols', `Accept: ${list(2_500, (at) => `a/b${at};q=0.${at % 999}`).join()}\r\n`)),
  chunks: raw(
    FEW,
    () => `POST /v1/quotes HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n${'1\r\n0\r\n'.repeat(60_000)}`,
  ),
  // Numbers of requests and connections.
  pipelined: raw(FEW, () => get('/livez').repeat(2_000)),
  health: of(MANY, () => get('/livez')),
  refused: of(MANY, (n) => get(`/none${n}`)),
  reconnecting: raw(MANY, () => get('/v1/protocols', 'Connection: close\r\n')),
  socket_frames: raw(FEW, () =>
    Buffer.concat([
      Buffer.from(
        get(
          '/v1/stream',
          'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n',
        ),
      ),
      FRAMES,
    ]),
  ),
}

function of(connections: number, bytes: NeighbourLoad['bytes']): NeighbourLoad {
  return { connections, bytes }
}

function raw(connections: number, bytes: NeighbourLoad['bytes']): NeighbourLoad {
  return { connections, bytes, isRaw: true }
}

function get(path: string, headers = ''): string {
  return `GET ${path} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`
}

function post(path: string, body: object): string {
  const text = JSON.stringify(body)
  return `POST ${path} HTTP/1.1\r\nHost: x\r\n${JSON_TYPE}Content-Length: ${text.length}\r\n\r\n${text}`
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
