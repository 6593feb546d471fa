import { once } from 'node:events'
import { type IncomingMessage, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { MINUTE } from '@dexfeed/dex'
import { responseOn, type Upgrade } from '@dexfeed/service'
import { wordsOf } from './headers.ts'
import { askOne, type RelayContext, refuse, send } from './relay.ts'

/** Replicas and clients show every 15 s that they are there. */
const IDLE_MS = MINUTE

/** WebSockets are all that is known (RFC 6455, section 4.2.1). */
export function isWebSocket({ method, headers }: IncomingMessage): boolean {
  return method === 'GET' && wordsOf(headers.upgrade).includes('websocket')
}

/** Joins a WebSocket with one to a replica; where that one refuses, its answer is passed on. Never fails. */
export async function relayUpgrade(
  request: IncomingMessage,
  { socket, head }: Upgrade,
  context: RelayContext,
): Promise<void> {
  const { metrics } = context
  // A connection has one answer, even where nothing of it was written.
  let hasBegun = false
  // How long a replica may take `askOne` bounds.
  socket.setTimeout(0)
  try {
    const { message, upgraded } = await askOne(request, socket, context, [
      ...['Connection', 'Upgrade', 'Upgrade', 'websocket'],
    ])
    hasBegun = true
    socket.setTimeout(IDLE_MS)
    if (upgraded === undefined) return await send(request, responseOn(request, socket), message)
    metrics.answered('1xx')
    socket.write(handshake(message))
    if (upgraded.head.length > 0) socket.write(upgraded.head)
    if (head.length > 0) upgraded.socket.write(head)
    await join(socket, upgraded.socket)
  } catch {
    if (socket.destroyed || hasBegun) socket.destroy()
    else refuse(request, responseOn(request, socket), 503, 'the API does not answer now', metrics)
  }
}

function handshake({ statusCode = 101, rawHeaders }: IncomingMessage): string {
  const lines = [`HTTP/1.1 ${statusCode} ${STATUS_CODES[statusCode]}`]
  for (let at = 0; at < rawHeaders.length; at += 2) lines.push(`${rawHeaders[at]}: ${rawHeaders[at + 1]}`)
  return `${lines.join('\r\n')}\r\n\r\n`
}

/** Passes on both ways, each no faster than it is taken; when one side ends, fails or falls silent, so does the other. */
async function join(one: Socket, other: Socket): Promise<void> {
  for (const [from, to] of [[one, other] as const, [other, one] as const]) {
    from.setTimeout(IDLE_MS)
    from.pipe(to)
    from.once('close', () => to.destroy())
    if (from.destroyed) to.destroy()
  }
  if (!one.closed) await once(one, 'close')
}
