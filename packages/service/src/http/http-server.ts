import { createServer as createHttpServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { MINUTE, SECOND } from '@dexfeed/dex'
import { adoptConnection, closeConnections, isRefused, refuseConnection } from './adopted-connections.ts'
import { boundConnections } from './bound-connections.ts'
import { METHODS } from './failure-body.ts'
import { isCutShort, MAX_HEADERS, refuseCutShort } from './header-count.ts'
import { afterResponses, responseUnderWay, trackResponse } from './responses.ts'
import { type MessageClasses, stopParser } from './stop-parser.ts'
import { onUpgrades, type Upgrades } from './upgrades.ts'

/** More than the longest URL, so that a client with a longer one gets a response. */
const MAX_HEADER_SIZE = 32_768
const MAX_CONNECTIONS = 2_048
const PROBE_MS = MINUTE
const MAX_REQUESTS_PER_SOCKET = 10_000
/** A client that reads nothing of its response for this long is cut off. */
const STALL_MS = 1.5 * MINUTE
/**
 * Half of STALL_MS, because Node waits twice if the system has accepted bytes since the last write, as it nearly always
 * has.
 */
const TIMEOUT_MS = STALL_MS / 2

const NO_TUNNEL = { status: 405, message: `only ${METHODS} are supported` }
const MALFORMED = { status: 400, message: 'the request is malformed' }
const PARSER_FAILURES: Record<string, { status: number; message: string }> = {
  HPE_HEADER_OVERFLOW: { status: 431, message: 'the request header is too large' },
  HPE_INVALID_METHOD: NO_TUNNEL,
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, message: 'the request took too long to arrive' },
}

export interface ConnectionLimits {
  maxConnections?: number | undefined
  isProxy?: (address: string) => boolean
  /** How long a connection is kept after its last response. Most load balancers keep theirs for 60 s. */
  keepAliveS?: number | undefined
}

const KEEP_ALIVE_S = 65
const NO_UPGRADES: Upgrades = { isAccepted: () => false, accept: () => undefined }

export function createServer(
  app: RequestListener,
  classes: MessageClasses = {},
  {
    maxConnections = MAX_CONNECTIONS,
    isProxy = () => false,
    keepAliveS = KEEP_ALIVE_S,
    upgrades = NO_UPGRADES,
  }: ConnectionLimits & { upgrades?: Upgrades } = {},
): Server {
  const server = createHttpServer(
    {
      ...classes,
      IncomingMessage: stopParser(classes.IncomingMessage),
      headersTimeout: 10 * SECOND,
      requestTimeout: 20 * SECOND,
      keepAliveTimeout: keepAliveS * SECOND,
      connectionsCheckingInterval: SECOND,
      maxHeaderSize: MAX_HEADER_SIZE,
      keepAlive: true,
      keepAliveInitialDelay: PROBE_MS,
      // The app refuses a missing `Host` itself, with a body.
      requireHostHeader: false,
    },
    (request, response) => {
      trackResponse(request.socket, response)
      if (isCutShort(request)) refuseCutShort(request, response)
      else app(request, response)
    },
  )
  server.maxHeadersCount = MAX_HEADERS
  server.maxConnections = maxConnections
  boundConnections(server, isProxy)
  onUpgrades(server, upgrades)
  server.maxRequestsPerSocket = MAX_REQUESTS_PER_SOCKET
  server.on('clientError', (error: NodeJS.ErrnoException, duplex) => {
    // A server without TLS has only sockets.
    const socket = duplex as Socket
    if (isRefused(socket)) return
    // Nothing may be written into the middle of a response.
    if (!socket.writable || responseUnderWay(socket) !== null) socket.destroy()
    else refuseConnection(socket, PARSER_FAILURES[error.code ?? ''] ?? MALFORMED)
  })
  server.timeout = TIMEOUT_MS
  server.on('timeout', (socket) => {
    // A client that has read all bytes so far waits for the response.
    if (responseUnderWay(socket) === null || socket.writableLength > 0) socket.destroy()
    else socket.setTimeout(server.timeout)
  })
  server.on('connect', (_request, duplex: Duplex) => {
    const socket = duplex as Socket
    adoptConnection(server, socket)
    afterResponses(socket, () => refuseConnection(socket, NO_TUNNEL))
  })
  server.on('checkContinue', (request, response) => {
    response.writeContinue()
    server.emit('request', request, response)
  })
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
  return server
}

/** Starts to listen. @throws an error that names host and port */
export function listenOn(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const reason = cause.code === 'EADDRINUSE' ? 'the port is in use' : cause.message
      reject(new Error(`cannot listen on ${host}:${port} (HOST, PORT): ${reason}`, { cause }))
    })
    server.listen(port, host, resolve)
  })
}

export function urlOf(server: Server): string {
  const { address, family, port } = server.address() as AddressInfo
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
}

export async function closeServer(server: Server, finishMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  const cut = setTimeout(() => closeConnections(server), finishMs)
  await closed
  clearTimeout(cut)
}
