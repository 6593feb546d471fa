import { type IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** A response where Node has left the connection to us; the connection ends with it. */
export function responseOn(request: IncomingMessage, socket: Socket): ServerResponse {
  const response = new ServerResponse(request)
  response.shouldKeepAlive = false
  response.assignSocket(socket)
  // What still comes nobody reads, so that its end would not be seen.
  response.once('finish', () => socket.destroySoon())
  return response
}
