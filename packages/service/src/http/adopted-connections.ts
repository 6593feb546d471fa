import { type Server, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { SECOND } from '@dexfeed/dex'
import { failureBody, METHODS } from './failure-body.ts'
import { responseUnderWay } from './responses.ts'

/** How long a client has to read a refusal. Closing a connection with unread bytes would reset it and lose the refusal. */
const LINGER_MS = SECOND

const adopted = new WeakSet<Socket>()
const refused = new WeakSet<Socket>()
/** Adopted connections of each server, because Node closes only those that it handles itself. */
const ofServers = new WeakMap<Server, Set<Socket>>()

/**
 * Handles errors and the idle time of a connection that Node's HTTP code has released: after an upgrade, `CONNECT` or a
 * refusal. Returns false if the connection was adopted before.
 */
function adopt(socket: Socket, onIdle: () => void = () => socket.destroy()): boolean {
  if (adopted.has(socket)) return false
  adopted.add(socket)
  socket.on('error', () => socket.destroy())
  socket.on('timeout', onIdle)
  return true
}

/** Restores the server's time limits on a connection that Node's HTTP code has released. Responses under way continue. */
export function adoptConnection(server: Server, socket: Socket): void {
  if (!adopt(socket, () => void server.emit('timeout', socket))) return
  const own = ofServers.get(server) ?? new Set()
  ofServers.set(server, own.add(socket))
  socket.once('close', () => own.delete(socket))
  socket.setTimeout(server.timeout)
  // Node no longer passes this event to the response.
  socket.on('drain', () => responseUnderWay(socket)?.emit('drain'))
}

export function isAdopted(socket: Socket): boolean {
  return adopted.has(socket)
}

export function closeConnections(server: Server): void {
  server.closeAllConnections()
  for (const socket of ofServers.get(server) ?? []) socket.destroy()
}

export function refuseConnection(socket: Socket, { status, message }: { status: number; message: string }): void {
  if (refused.has(socket)) return
  refused.add(socket)
  adopt(socket)
  const body = failureBody(message)
  socket.end(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      'Cache-Control: no-store',
      'X-Content-Type-Options: nosniff',
      ...(status === 405 ? [`Allow: ${METHODS}`] : []),
      'Connection: close',
      '',
      body,
    ].join('\r\n'),
  )
  // If bytes stayed unread, the end of the client's data would not be noticed.
  socket.resume()
  const late = setTimeout(() => socket.destroy(), LINGER_MS)
  socket.once('end', () => socket.destroySoon())
  socket.once('close', () => clearTimeout(late))
}

export function isRefused(socket: Socket): boolean {
  return refused.has(socket)
}
