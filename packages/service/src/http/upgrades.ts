import { type IncomingMessage, type Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { adoptConnection, refuseConnection } from './adopted-connections.ts'
import { BadBody, ChunkedBody } from './chunked-body.ts'
import { isCutShort, TOO_MANY_HEADERS } from './header-count.ts'
import { afterResponses, trackResponse } from './responses.ts'

export interface Upgrade {
  socket: Socket
  head: Buffer
}

export interface Upgrades {
  isAccepted(request: IncomingMessage): boolean
  accept(request: IncomingMessage, upgrade: Upgrade): void
}

/**
 * A connection ends after this many returned requests, because each of them restarts the server's own count of
 * requests.
 */
export const MAX_RETURNED = 100
const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n'
const UNKNOWN_CODING = { status: 501, message: 'the only supported transfer coding is chunked' }
const TOO_SLOW = { status: 408, message: 'the request took too long to arrive' }

const OF_UPGRADES = ['upgrade', 'http2-settings']
const OF_CODINGS = ['transfer-encoding', 'trailer', 'expect']

/**
 * Passes accepted requests for another protocol to `accept`, after the responses to earlier requests. Returns other
 * requests at which Node stopped reading (stop-parser.ts) to their connections, each in another turn of the event loop,
 * without the upgrade (RFC 9110, section 7.8) and with the length of a chunked body.
 */
export function onUpgrades(server: Server, { isAccepted, accept }: Upgrades): void {
  const returned = new WeakMap<Socket, number>()
  const giveBack = (socket: Socket, ...bytes: Uint8Array[]) => {
    socket.unshift(Buffer.concat(bytes))
    server.emit('connection', socket)
  }
  const begin = (request: IncomingMessage, socket: Socket, head: Buffer) => {
    if (isCutShort(request)) return refuseConnection(socket, TOO_MANY_HEADERS)
    if (isAccepted(request)) return accept(request, { socket, head })
    const before = returned.get(socket)
    const times = before === undefined ? 1 : before + 1
    returned.set(socket, times)
    const { 'transfer-encoding': coding, expect } = request.headers
    const isLast = times === MAX_RETURNED
    if (coding === undefined) return giveBack(socket, headOf(request, isLast), head)
    if (coding.toLowerCase() !== 'chunked') return refuseConnection(socket, UNKNOWN_CODING)
    if (expect?.toLowerCase() === '100-continue') socket.write(CONTINUE)
    readChunked(socket, head, server.requestTimeout, ({ body, rest }) => {
      giveBack(socket, headOf(request, isLast, body.length), body, rest)
    })
  }
  server.on('upgrade', (request: IncomingMessage, duplex: Duplex, head: Buffer) => {
    const socket = duplex as Socket
    adoptConnection(server, socket)
    afterResponses(socket, () => setImmediate(() => socket.writable && begin(request, socket, head)))
  })
}

function readChunked(
  socket: Socket,
  head: Buffer,
  ms: number,
  onBody: (read: { body: Buffer; rest: Buffer }) => void,
): void {
  const chunked = new ChunkedBody()
  const stop = () => {
    clearTimeout(late)
    socket.off('data', take)
    socket.off('close', stop)
  }
  const refuse = (refusal: { status: number; message: string }) => {
    stop()
    refuseConnection(socket, refusal)
  }
  const late = setTimeout(() => refuse(TOO_SLOW), ms)
  const take = (bytes: Buffer) => {
    try {
      const read = chunked.take(bytes)
      if (read === null) return
      stop()
      onBody(read)
    } catch (error) {
      if (!(error instanceof BadBody)) throw error
      refuse(error)
    }
  }
  socket.on('close', stop)
  socket.on('data', take)
  take(head)
}

export function responseOn(request: IncomingMessage, socket: Socket): ServerResponse {
  const response = new ServerResponse(request)
  response.shouldKeepAlive = false
  response.assignSocket(socket)
  trackResponse(socket, response)
  // Nothing reads further bytes, so the end of the client's data would not be noticed.
  response.once('finish', () => socket.destroySoon())
  return response
}

function headOf({ method, url, httpVersion, rawHeaders }: IncomingMessage, isLast: boolean, length?: number): Buffer {
  const lines = isLast ? ['Connection: close'] : []
  if (length !== undefined) lines.push(`Content-Length: ${length}`)
  const dropped = new Set([
    ...OF_UPGRADES,
    ...(isLast ? ['connection'] : []),
    ...(length === undefined ? [] : OF_CODINGS),
  ])
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const [name = '', value = ''] = rawHeaders.slice(at, at + 2)
    if (!dropped.has(name.toLowerCase())) lines.push(`${name}: ${value}`)
  }
  return Buffer.from([`${method} ${url} HTTP/${httpVersion}`, ...lines, '', ''].join('\r\n'), 'latin1')
}
