import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { SECOND } from '@dexfeed/dex'
import type { Upgrade } from '@dexfeed/service'
import { WebSocketServer } from 'ws'
import { HttpFailure } from '../../http/http-failure.ts'

const FAREWELL_MS = 5 * SECOND
const MAX_MESSAGE = 1_024
/** Close codes of RFC 6455 section 7.4.1 and its registry. */
const GOING_AWAY = 1_001
const UNSUPPORTED_DATA = 1_003
const TRY_AGAIN_LATER = 1_013
const RETRY_MS = 2_000
const BEAT = Buffer.from(':\n\n')

export type Framing = 'sse' | 'socket'

export interface Connection {
  framing: Framing
  readonly pending: number
  send(bytes: Buffer): void
  beat(): void
  end(reason: 'slow' | 'over', last?: Buffer): void
}

export const SSE_HEADERS = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-store, no-transform',
  'X-Accel-Buffering': 'no',
}

/** Opens Server-Sent Events (WHATWG HTML, section 9.2) as the body of a response. */
export function openEvents(response: ServerResponse): Connection {
  response.writeHead(200, SSE_HEADERS)
  response.write(`retry: ${RETRY_MS}\n\n`)
  return {
    framing: 'sse',
    get pending() {
      return response.writableLength
    },
    send: (bytes) => void response.write(bytes),
    beat: () => void response.write(BEAT),
    end(_reason, last) {
      response.end(last)
      cutLater(response, () => response.destroy())
    },
  }
}

const GONE = 'no WebSocket: the client has gone'

const sockets = new WebSocketServer({ noServer: true, clientTracking: false, maxPayload: MAX_MESSAGE })

// Without this listener the library would send its own response.
sockets.on('wsClientError', (error, _socket, request) => refused.get(request)?.(error))
const refused = new WeakMap<IncomingMessage, (error: Error) => void>()

/**
 * Makes a request's connection a WebSocket (RFC 6455).
 *
 * @throws HttpFailure 400 if the request is not valid, or the client has gone
 */
export function openSocket(
  request: IncomingMessage,
  response: ServerResponse,
  { socket, head }: Upgrade,
): Promise<{ connection: Connection; closed: Promise<void> }> {
  return new Promise((resolve, reject) => {
    // Checked before the library takes the socket, because the response ends with it.
    if (!socket.readable || !socket.writable) return reject(new HttpFailure(400, GONE))
    refused.set(request, (error) => {
      response.assignSocket(socket)
      reject(new HttpFailure(400, `no WebSocket: ${error.message}`))
    })
    response.detachSocket(socket)
    sockets.handleUpgrade(request, socket, head, (client) => {
      let isThere = true
      client.on('pong', () => {
        isThere = true
      })
      client.on('message', () => client.close(UNSUPPORTED_DATA, 'messages are not accepted'))
      client.on('error', () => client.terminate())
      const closed = new Promise<void>((done) => client.once('close', () => done()))
      const connection: Connection = {
        framing: 'socket',
        get pending() {
          return client.bufferedAmount
        },
        send: (bytes) => client.send(bytes, { binary: false }),
        beat() {
          if (!isThere) client.terminate()
          isThere = false
          client.ping()
        },
        end(reason, last) {
          if (last !== undefined) client.send(last, { binary: false })
          if (reason === 'slow') client.close(TRY_AGAIN_LATER, 'too slow')
          else client.close(GOING_AWAY, 'the server ends')
          cutLater(socket, () => client.terminate())
        },
      }
      resolve({ connection, closed })
    })
    // The library calls back immediately or never.
    reject(new HttpFailure(400, GONE))
  })
}

function cutLater(ended: ServerResponse | Socket, cut: () => void): void {
  const timer = setTimeout(cut, FAREWELL_MS)
  ended.once('close', () => clearTimeout(timer))
}
