import {
  createServer as createHttpServer,
  type RequestListener,
  type Server,
  type ServerOptions,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { MINUTE, SECOND } from '@dexfeed/dex'
import { boundConnections } from './bound-connections.ts'

/** What is answered everywhere. */
export const METHODS = 'GET, HEAD, OPTIONS'
/** Longer than what a URL may have, so that a long one gets an answer instead of being cut off. */
const MAX_HEADER_SIZE = 32_768
const MAX_CONNECTIONS = 2_048
/** A peer that says nothing for so long is asked whether it is there. */
const KEEP_ALIVE_MS = MINUTE
const MAX_REQUESTS_PER_SOCKET = 10_000
/** A client that takes nothing of its answer for so long is cut off: it would hold its connection for good. */
const STALL_MS = 1.5 * MINUTE

const PARSER_FAILURES: Record<string, { status: number; message: string }> = {
  HPE_HEADER_OVERFLOW: { status: 431, message: 'the request header is too large' },
  HPE_INVALID_METHOD: { status: 405, message: `only ${METHODS} are answered` },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, message: 'the request took too long to arrive' },
}

/** What requests and responses are made of, where the app wants more than plain ones. */
export type MessageClasses = Pick<ServerOptions, 'IncomingMessage' | 'ServerResponse'>

/** The responses that connections had last. A listener for the end of each would cost more. */
const lastResponses = new WeakMap<Duplex, ServerResponse>()

/** The response to the last request of a connection as long as that is not over. */
export function responseUnderWay(socket: Duplex): ServerResponse | null {
  const last = lastResponses.get(socket)
  return last === undefined || last.closed ? null : last
}

export interface ConnectionLimits {
  /** Of all together; 2,048 by default. */
  maxConnections?: number | undefined
  /** Whether an address is that of a trusted proxy, which has connections for many clients. By default none is. */
  isProxy?: (address: string) => boolean
}

/** A server around `app` that does not wait for slow clients. It does not listen yet. */
export function createServer(
  app: RequestListener,
  classes: MessageClasses = {},
  { maxConnections = MAX_CONNECTIONS, isProxy = () => false }: ConnectionLimits = {},
): Server {
  const server = createHttpServer(
    {
      ...classes,
      headersTimeout: 10 * SECOND,
      requestTimeout: 20 * SECOND,
      keepAliveTimeout: 10 * SECOND,
      connectionsCheckingInterval: SECOND,
      maxHeaderSize: MAX_HEADER_SIZE,
      keepAlive: true,
      keepAliveInitialDelay: KEEP_ALIVE_MS,
      // The app refuses it, with a body.
      requireHostHeader: false,
    },
    app,
  )
  server.maxConnections = maxConnections
  boundConnections(server, isProxy)
  server.maxRequestsPerSocket = MAX_REQUESTS_PER_SOCKET
  server.on('request', ({ socket }, response) => void lastResponses.set(socket, response))
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    // In the middle of a response nothing else may be written.
    if (!socket.writable || responseUnderWay(socket) !== null) socket.destroy()
    else refuse(socket, PARSER_FAILURES[error.code ?? ''] ?? { status: 400, message: 'the request is malformed' })
  })
  server.timeout = STALL_MS
  server.on('timeout', (socket) => {
    // Who waits for us, and takes what there is, goes on waiting.
    if (responseUnderWay(socket) === null || socket.writableLength > 0) socket.destroy()
    else socket.setTimeout(server.timeout)
  })
  server.on('connect', (_request, socket) => refuse(socket, { status: 405, message: `only ${METHODS} are answered` }))
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

const UNDER_V1 = /^\/v1(?:[/?]|$)/

/** The body of a failure of a request for this URL; under `/v1` it has the code beside the message. */
export function failureBody(message: string, url = '', code?: string): string {
  return JSON.stringify({ error: message, code: UNDER_V1.test(url) ? code : undefined })
}

/** @throws an error that names host and port when they cannot be had */
export function listenOn(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const reason = cause.code === 'EADDRINUSE' ? 'the port is in use' : cause.message
      reject(new Error(`cannot listen on ${host}:${port} (HOST, PORT): ${reason}`, { cause }))
    })
    server.listen(port, host, resolve)
  })
}

/** Where a server listens. */
export function urlOf(server: Server): string {
  const { address, family, port } = server.address() as AddressInfo
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
}

/** Idle connections close at once, others when their response has ended, or after `finishMs`. */
export async function closeServer(server: Server, finishMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  const cut = setTimeout(() => server.closeAllConnections(), finishMs)
  await closed
  clearTimeout(cut)
}
