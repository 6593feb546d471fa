import type { ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'

/** The last response of each connection. A listener for the end of each response would cost more. */
const lastResponses = new WeakMap<Duplex, ServerResponse>()
/** Responses to pipelined requests, in order, by connection. */
const pipelined = new WeakMap<Duplex, ServerResponse[]>()

/** Registers a response as the last one of its connection. */
export function trackResponse(socket: Duplex, response: ServerResponse): void {
  const before = responseUnderWay(socket)
  lastResponses.set(socket, response)
  if (before === null) return
  let waiting = pipelined.get(socket)
  if (waiting === undefined) {
    waiting = []
    pipelined.set(socket, waiting)
    socket.once('close', () => closeWaiting(socket))
  }
  if (waiting.at(-1) !== before) waiting.splice(0, waiting.length, before)
  waiting.push(response)
}

/** Returns the response that is being sent on a connection, if there is one. */
export function responseWithTurn(socket: Duplex): ServerResponse | null {
  return pipelined.get(socket)?.find((response) => response.socket === socket) ?? responseUnderWay(socket)
}

/** Returns the response to the last request of a connection, or null once it has ended. */
export function responseUnderWay(socket: Duplex): ServerResponse | null {
  const last = lastResponses.get(socket)
  return last === undefined || last.closed ? null : last
}

/**
 * Runs a step after the responses to all requests of a connection so far. Skips it if the connection is no longer
 * writable.
 */
export function afterResponses(socket: Duplex, step: () => void): void {
  const before = responseUnderWay(socket)
  const begin = () => void (socket.writable && step())
  if (before === null) begin()
  else before.once('close', begin)
}

/**
 * Closes the responses that never had their turn. Node closes only the one that has the connection. Code that counts a
 * response until it closes would count the others permanently.
 */
function closeWaiting(socket: Duplex): void {
  for (const response of pipelined.get(socket) ?? []) {
    if (response.closed || response.socket !== null) continue
    response.assignSocket(new Socket().destroy())
  }
}
