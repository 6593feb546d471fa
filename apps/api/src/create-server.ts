import { createServer as createHttpServer, type RequestListener, type Server, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { SECOND } from '@dexfeed/dex'
import { failureBody } from './http/failure-handler.ts'
import { METHODS } from './http/guards.ts'
import { acceptUpgrades } from './stream/accept-upgrades.ts'

/** Longer than what a URL may have, so that a long one gets an answer instead of being cut off. */
const MAX_HEADER_SIZE = 32_768
const MAX_CONNECTIONS = 2_048
const MAX_REQUESTS_PER_SOCKET = 10_000

const PARSER_FAILURES: Record<string, { status: number; message: string }> = {
  HPE_HEADER_OVERFLOW: { status: 431, message: 'the request header is too large' },
  HPE_INVALID_METHOD: { status: 405, message: `only ${METHODS} are answered` },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, message: 'the request took too long to arrive' },
}

/** A server around `app` that does not wait for slow clients. It does not listen yet. */
export function createServer(app: RequestListener): Server {
  const server = createHttpServer(
    {
      headersTimeout: 10 * SECOND,
      requestTimeout: 20 * SECOND,
      keepAliveTimeout: 10 * SECOND,
      connectionsCheckingInterval: SECOND,
      maxHeaderSize: MAX_HEADER_SIZE,
      // The app refuses it, with a body.
      requireHostHeader: false,
    },
    app,
  )
  server.maxConnections = MAX_CONNECTIONS
  server.maxRequestsPerSocket = MAX_REQUESTS_PER_SOCKET
  const answering = new WeakSet<Duplex>()
  server.on('request', (request, response) => {
    answering.add(request.socket)
    response.once('close', () => answering.delete(request.socket))
  })
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    // In the middle of a response nothing else may be written.
    if (!socket.writable || answering.has(socket)) socket.destroy()
    else refuse(socket, PARSER_FAILURES[error.code ?? ''] ?? { status: 400, message: 'the request is malformed' })
  })
  server.on('connect', (_request, socket) => refuse(socket, { status: 405, message: `only ${METHODS} are answered` }))
  acceptUpgrades(server, app)
  // Expectations that we do not know do not keep us from answering.
  server.on('checkExpectation', app)
  return server
}

/** An answer to what never became a request. */
function refuse(socket: Duplex, { status, message }: { status: number; message: string }): void {
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
}
