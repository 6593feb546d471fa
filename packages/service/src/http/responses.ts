import type { ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'

/** The last response of each connection. A listener for the end of each response would cost more. */
const lastResponses = new WeakMap<Duplex, ServerResponse>()

export function trackResponse(socket: Duplex, response: ServerResponse): void {
  lastResponses.set(socket, response)
}

export function responseUnderWay(socket: Duplex): ServerResponse | null {
  const last = lastResponses.get(socket)
  return last === undefined || last.closed ? null : last
}

export function afterResponses(socket: Duplex, step: () => void): void {
  const before = responseUnderWay(socket)
  const begin = () => void (socket.writable && step())
  if (before === null) begin()
  else before.once('close', begin)
}
