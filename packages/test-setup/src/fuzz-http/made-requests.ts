export interface Draw {
  /** Returns a whole number from 0 to `end` - 1. */
  below(end: number): number
  chance(part: number): boolean
  pick<T>(from: readonly [T, ...T[]]): T
}

/** Returns random draws that the same seed repeats (mulberry32). */
export function drawBy(seed: number): Draw {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (end: number) => Math.floor(next() * end)
  return {
    below,
    chance: (part) => next() < part,
    pick: (from) => from[below(from.length)] ?? from[0],
  }
}

export interface MadeRequest {
  method: string
  text: string
}

/** The body of a request, which no server may take for a request. */
const INSIDE = 'GET /inside HTTP/1.1\r\nHost: a\r\n\r\n'
const MANY_HEADERS = 'x: y\r\n'.repeat(1_100)
const SOCKET = 'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n'

type Kind = (draw: Draw, path: string) => MadeRequest

const of = (method: string, target: string, headers = '', body = '', version = '1.1'): MadeRequest => ({
  method,
  text: `${method} ${target} HTTP/${version}\r\nHost: a\r\n${headers}\r\n${body}`,
})

const framed = (draw: Draw): [headers: string, body: string] =>
  draw.chance(0.5)
    ? [`Content-Length: ${INSIDE.length}\r\n`, INSIDE]
    : ['Transfer-Encoding: chunked\r\n', `${INSIDE.length.toString(16)}\r\n${INSIDE}\r\n0\r\n\r\n`]

const wish = (draw: Draw) => {
  const to = draw.pick(['h2c', 'websocket', 'x', 'websocket, h2c', ''])
  return `Connection: ${draw.pick(['Upgrade', 'upgrade, close', 'keep-alive, Upgrade'])}\r\nUpgrade: ${to}\r\n`
}

const KINDS: readonly [Kind, ...Kind[]] = [
  (_, path) => of('GET', path),
  (_, path) => of('HEAD', path),
  (_, path) => of('OPTIONS', path),
  (draw, path) => of(draw.pick(['POST', 'GET', 'DELETE', 'PUT']), path, ...framed(draw)),
  (draw, path) => of(draw.pick(['GET', 'HEAD', 'POST']), path, wish(draw)),
  (draw, path) => {
    const [headers, body] = framed(draw)
    return of(draw.pick(['GET', 'POST']), path, wish(draw) + headers, body)
  },
  (draw, path) => of('GET', path, `Connection: Upgrade\r\nUpgrade: websocket\r\n${draw.chance(0.8) ? SOCKET : ''}`),
  () => of('CONNECT', 'a:1'),
  (_, path) => of('GET', path, 'Connection: close\r\n'),
  (draw, path) =>
    of('POST', path, `Expect: ${draw.pick(['100-continue', 'wonders'])}\r\nContent-Length: 4\r\n`, 'body'),
  (draw, path) => {
    const headers = `${draw.chance(0.5) ? wish(draw) : ''}${MANY_HEADERS}Content-Length: ${INSIDE.length}\r\n`
    return of('POST', path, headers, INSIDE)
  },
  (_, path) => of('GET', path, 'Transfer-Encoding: wonders\r\n'),
  (_, path) => of('GET', path, '', '', '1.0'),
  (_, path) => of('GET', path, `X: ${'y'.repeat(40_000)}\r\n`),
  () => ({ method: 'PRI', text: 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n' }),
  () => ({ method: '', text: 'NONSENSE\r\n\r\n' }),
]

export function madeRequest(draw: Draw, paths: readonly [string, ...string[]]): MadeRequest {
  return draw.pick(KINDS)(draw, draw.pick(paths))
}

export function damaged(draw: Draw, bytes: Uint8Array): Uint8Array {
  const copy = Buffer.from(bytes)
  const at = draw.below(copy.length)
  if (draw.chance(0.25)) return copy.subarray(0, at)
  const noise = Buffer.from(Array.from({ length: 1 + draw.below(8) }, () => draw.below(256)))
  const between = draw.pick([noise, Buffer.from('\r\n'), Buffer.from('\n'), Buffer.from('\0'), Buffer.from('\r\n\r\n')])
  return Buffer.concat([copy.subarray(0, at), between, copy.subarray(at + draw.below(4))])
}
