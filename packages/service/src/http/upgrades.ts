import { type IncomingMessage, type Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { handOver, refuseConnection } from './handed-over.ts'
import { isCutShort, TOO_MANY_HEADERS } from './header-count.ts'
import { afterResponses, trackResponse } from './responses.ts'

/** What a request that wants another protocol came on. */
export interface Upgrade {
  socket: Socket
  /** What has come behind the request. */
  head: Buffer
}

/** So many wishes of a connection are passed over, then it ends: the server counts its requests anew behind each. */
export const MOST_REFUSED = 100

/**
 * Takes requests that want another protocol on their connection, in their turn: answers go out in the order of the
 * requests. Those that are not wanted are answered by the server, body and all, as if nothing but HTTP/1.1 had been asked
 * for (RFC 9110, section 7.8).
 *
 * @param take answers a request that is wanted; the connection is its own from then on
 */
export function onUpgrades(
  server: Server,
  isWanted: (request: IncomingMessage) => boolean,
  take: (request: IncomingMessage, upgrade: Upgrade) => void,
): void {
  /** How many wishes of a connection were passed over. */
  const refused = new WeakMap<Socket, number>()
  const begin = (request: IncomingMessage, socket: Socket, head: Buffer) => {
    if (isCutShort(request)) return refuseConnection(socket, TOO_MANY_HEADERS)
    if (isWanted(request)) return take(request, { socket, head })
    const times = (refused.get(socket) ?? 0) + 1
    refused.set(socket, times)
    socket.unshift(Buffer.concat([Buffer.from(headOf(request, times === MOST_REFUSED), 'latin1'), head]))
    server.emit('connection', socket)
  }
  server.on('upgrade', (request: IncomingMessage, duplex: Duplex, head: Buffer) => {
    // A server without TLS has no other connections.
    const socket = duplex as Socket
    handOver(server, socket)
    afterResponses(socket, () => begin(request, socket, head))
  })
}

/** A response where Node has left the connection to us; the connection ends with it. */
export function responseOn(request: IncomingMessage, socket: Socket): ServerResponse {
  const response = new ServerResponse(request)
  response.shouldKeepAlive = false
  response.assignSocket(socket)
  trackResponse(socket, response)
  // What still comes nobody reads, so that its end would not be seen.
  response.once('finish', () => socket.destroySoon())
  return response
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
