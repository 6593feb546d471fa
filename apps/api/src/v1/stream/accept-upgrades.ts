import { type IncomingMessage, type RequestListener, type Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { V1_STREAM } from '@dexfeed/contract'
import { responseUnderWay } from '@dexfeed/service'
import { pathOf } from '../../http/front.ts'

/** A request that wants another protocol on its connection. */
export interface Upgrade {
  socket: Socket
  /** What has come behind the request. */
  head: Buffer
}

/** So many wishes of a connection are passed over, then it ends: the server counts its requests anew behind each. */
export const MOST_REFUSED = 100

const upgrades = new WeakMap<IncomingMessage, Upgrade>()

/** What a request wants its connection to be, if that is something else. */
export function upgradeOf(request: IncomingMessage): Upgrade | undefined {
  return upgrades.get(request)
}

/**
 * Gives requests for a WebSocket of the stream to the app, where they meet what every request meets; an answer of the
 * app ends the connection. All others are answered as if nothing but HTTP/1.1 had been asked for (RFC 9110 section 7.8).
 */
export function acceptUpgrades(server: Server, app: RequestListener): void {
  /** How many wishes of a connection were passed over. */
  const refused = new WeakMap<Socket, number>()
  server.on('upgrade', (request: IncomingMessage, duplex: Duplex, head: Buffer) => {
    // A server without TLS has no other connections.
    const socket = duplex as Socket
    if (!refused.has(socket)) {
      refused.set(socket, 0)
      socket.on('error', () => socket.destroy())
    }
    const before = responseUnderWay(socket)
    // Answers go out in the order of the requests.
    if (before === null) take(request, socket, head)
    else before.once('close', () => take(request, socket, head))
  })
  const take = (request: IncomingMessage, socket: Socket, head: Buffer) => {
    if (socket.destroyed) return
    if (!wantsStream(request)) {
      const times = (refused.get(socket) ?? 0) + 1
      refused.set(socket, times)
      socket.unshift(Buffer.concat([Buffer.from(headOf(request, times === MOST_REFUSED), 'latin1'), head]))
      server.emit('connection', socket)
      return
    }
    const response = new ServerResponse(request)
    response.shouldKeepAlive = false
    response.assignSocket(socket)
    response.once('finish', () => socket.destroySoon())
    upgrades.set(request, { socket, head })
    app(request, response)
  }
}

function wantsStream({ url, headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === 'websocket' && pathOf(url ?? '') === V1_STREAM.path
}

/** A request without the wish for another protocol, as it comes over the wire; `isLast`: the last one, too. */
function headOf({ method, url, httpVersion, rawHeaders }: IncomingMessage, isLast: boolean): string {
  const lines = isLast ? ['Connection: close'] : []
  const dropped = isLast ? /^(upgrade|http2-settings|connection)$/i : /^(upgrade|http2-settings)$/i
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const [name = '', value = ''] = rawHeaders.slice(at, at + 2)
    if (!dropped.test(name)) lines.push(`${name}: ${value}`)
  }
  return [`${method} ${url} HTTP/${httpVersion}`, ...lines, '', ''].join('\r\n')
}
