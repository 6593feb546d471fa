import { type Server, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { SECOND } from '@dexfeed/dex'
import { failureBody, METHODS } from './failure-body.ts'
import { responseWithTurn } from './responses.ts'

/** A client has this long to read a refusal. A connection that is closed with unread bytes is reset, and the refusal lost. */
const LINGER_MS = SECOND

const adopted = new WeakSet<Socket>()
const refused = new WeakSet<Socket>()
/** Node closes only the connections that it listens to. */
const ofServers = new WeakMap<Server, Set<Socket>>()

/**
 * Takes care of a connection that Node's HTTP code no longer listens to: after a request for another protocol or for a
 * tunnel, or on either side of a proxied pair. An error closes the connection instead of ending the process, and so does
 * the connection's idle time.
 *
 * @param onIdle what to do when nothing moved for the connection's idle time; closes the connection by default
 * @returns false: it was taken care of already
 */
function adopt(socket: Socket, onIdle: () => void = () => socket.destroy()): boolean {
  if (adopted.has(socket)) return false
  adopted.add(socket)
  socket.on('error', () => socket.destroy())
  socket.on('timeout', onIdle)
  return true
}

/**
 * Gives a connection that Node's HTTP code has left the time limits of its server again. Answers that are still under way
 * on it go on.
 */
export function handOver(server: Server, socket: Socket): void {
  if (!adopt(socket, () => void server.emit('timeout', socket))) return
  const own = ofServers.get(server) ?? new Set()
  ofServers.set(server, own.add(socket))
  socket.once('close', () => own.delete(socket))
  socket.setTimeout(server.timeout)
  // Node no longer passes it on.
  socket.on('drain', () => responseWithTurn(socket)?.emit('drain'))
}

/** Whether a connection was left by Node's HTTP code at some time. */
export function isHandedOver(socket: Socket): boolean {
  return adopted.has(socket)
}

/** Closes all connections of a server, also those that Node has handed over. */
export function cutConnections(server: Server): void {
  server.closeAllConnections()
  for (const socket of ofServers.get(server) ?? []) socket.destroy()
}

/** Answers what never became a request, and closes the connection soon after, whatever the client does. */
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
  // Unread bytes would hide the client's end.
  socket.resume()
  const late = setTimeout(() => socket.destroy(), LINGER_MS)
  socket.once('end', () => socket.destroySoon())
  socket.once('close', () => clearTimeout(late))
}

/** Whether a connection was refused and is about to be closed. */
export function isRefused(socket: Socket): boolean {
  return refused.has(socket)
}
