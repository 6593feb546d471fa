import { type IncomingMessage, type Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { adoptConnection, refuseConnection } from './adopted-connections.ts'
import { isCutShort, TOO_MANY_HEADERS } from './header-count.ts'
import { afterResponses, trackResponse } from './responses.ts'

/** The connection of a request for another protocol. */
export interface Upgrade {
  socket: Socket
  /** Bytes that came after the request. */
  head: Buffer
}

/**
 * After this many ignored upgrade requests a connection ends. The server's own limit restarts its count after each of
 * them.
 */
export const MAX_REFUSED = 100

/**
 * Passes accepted requests for another protocol to `accept`, in turn: responses keep the order of the requests. To any
 * other request, body included, the server responds as if it were plain HTTP/1.1 (RFC 9110, section 7.8).
 *
 * @param accept responds to an accepted request and owns the connection from then on
 */
export function onUpgrades(
  server: Server,
  isAccepted: (request: IncomingMessage) => boolean,
  accept: (request: IncomingMessage, upgrade: Upgrade) => void,
): void {
  /** Ignored upgrade requests by connection. */
  const refused = new WeakMap<Socket, number>()
  const begin = (request: IncomingMessage, socket: Socket, head: Buffer) => {
    if (isCutShort(request)) return refuseConnection(socket, TOO_MANY_HEADERS)
    if (isAccepted(request)) return accept(request, { socket, head })
    const times = (refused.get(socket) ?? 0) + 1
    refused.set(socket, times)
    socket.unshift(Buffer.concat([Buffer.from(headOf(request, times === MAX_REFUSED), 'latin1'), head]))
    server.emit('connection', socket)
  }
  server.on('upgrade', (request: IncomingMessage, duplex: Duplex, head: Buffer) => {
    // A server without TLS has only sockets.
    const socket = duplex as Socket
    adoptConnection(server, socket)
    afterResponses(socket, () => begin(request, socket, head))
  })
}

/** Returns a response on a connection that Node no longer handles. The connection ends with it. */
export function responseOn(request: IncomingMessage, socket: Socket): ServerResponse {
  const response = new ServerResponse(request)
  response.shouldKeepAlive = false
  response.assignSocket(socket)
  trackResponse(socket, response)
  // Nothing reads what still arrives, so the client's end would not be noticed.
  response.once('finish', () => socket.destroySoon())
  return response
}

/**
 * Returns the head of a request as sent, without the request for another protocol. `isLast` requests the connection's
 * end.
 */
function headOf({ method, url, httpVersion, rawHeaders }: IncomingMessage, isLast: boolean): string {
  const lines = isLast ? ['Connection: close'] : []
  const dropped = isLast ? /^(upgrade|http2-settings|connection)$/i : /^(upgrade|http2-settings)$/i
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const [name = '', value = ''] = rawHeaders.slice(at, at + 2)
    if (!dropped.test(name)) lines.push(`${name}: ${value}`)
  }
  return [`${method} ${url} HTTP/${httpVersion}`, ...lines, '', ''].join('\r\n')
}
