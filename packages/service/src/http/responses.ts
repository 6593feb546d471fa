import type { ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'

/** The responses that connections had last. A listener for the end of each would cost more. */
const lastResponses = new WeakMap<Duplex, ServerResponse>()
/** Of connections with requests that did not wait for an answer: the responses to the first of them and to the others. */
const pipelined = new WeakMap<Duplex, ServerResponse[]>()

/** Keeps a response as the last one of its connection. */
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

/** The response that goes out on a connection now, if there is one. */
export function responseWithTurn(socket: Duplex): ServerResponse | null {
  return pipelined.get(socket)?.find((response) => response.socket === socket) ?? responseUnderWay(socket)
}

/** The response to the last request of a connection until that is over, else null. */
export function responseUnderWay(socket: Duplex): ServerResponse | null {
  const last = lastResponses.get(socket)
  return last === undefined || last.closed ? null : last
}

/** Runs a step once all requests of a connection so far were answered, unless the connection can take no more then. */
export function afterResponses(socket: Duplex, step: () => void): void {
  const before = responseUnderWay(socket)
  const begin = () => void (socket.writable && step())
  if (before === null) begin()
  else before.once('close', begin)
}

/**
 * Closes the responses that never had their turn. Node closes only the one that has the connection, so that whatever
 * counts a response until it is closed would count the others for ever.
 */
function closeWaiting(socket: Duplex): void {
  for (const response of pipelined.get(socket) ?? []) {
    if (response.closed || response.socket !== null) continue
    response.assignSocket(new Socket().destroy())
  }
}
