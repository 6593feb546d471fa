import type { ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'

/** The last response of each connection. A listener for the end of each response would cost more. */
const lastResponses = new WeakMap<Duplex, ServerResponse>()

export function trackResponse(socket: Duplex, response: ServerResponse): void {
  lastResponses.set(socket, response)
}

/** Returns the response to the last request of a connection; null once it has ended. */
export function responseUnderWay(socket: Duplex): ServerResponse | null {
  const last = lastResponses.get(socket)
  return last === undefined || last.closed ? null : last
}

/** Runs a step after the responses to all requests so far, if the connection is still writable. */
export function afterResponses(socket: Duplex, step: () => void): void {
  const before = responseUnderWay(socket)
  const begin = () => void (socket.writable && step())
  if (before === null) begin()
  else before.once('close', begin)
}
