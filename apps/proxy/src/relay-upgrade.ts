import { type IncomingMessage, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { responseOn, type Upgrade } from '@dexfeed/service'
import { wordsOf } from './headers.ts'
import { askOne, type RelayContext, refuse, send } from './relay.ts'

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
  try {
    const { message, upgraded } = await askOne(request, socket, context, [
      ...['Connection', 'Upgrade', 'Upgrade', 'websocket'],
    ])
    hasBegun = true
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

/** Both ways, each no faster than it is taken; when one side ends or fails, so does the other. */
async function join(one: Duplex, other: Duplex): Promise<void> {
  await Promise.all([pipeline(one, other), pipeline(other, one)])
}
