import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type WebSocket, WebSocketServer } from 'ws'
import { NodeError } from './answer.ts'

export type Piece = Buffer | string

export interface RpcMessage {
  id: unknown
  method: string
  params?: readonly unknown[]
}

export interface NodeBehaviour {
  onRequest(messages: readonly RpcMessage[], isBatch: boolean, response: ServerResponse): void | Promise<void>
  onMessage(message: RpcMessage, socket: WebSocket): string | null
}

export interface RpcServer {
  readonly url: string
  readonly wsUrl: string
  readonly sockets: ReadonlySet<WebSocket>
  /** Drops connections as when a node's process is replaced. */
  dropConnections(): void
  close(): Promise<void>
}

export async function serveRpc(behaviour: NodeBehaviour): Promise<RpcServer> {
  const http = await serveHttp(async (text, _, response) => {
    const body = JSON.parse(text) as RpcMessage | RpcMessage[]
    const isBatch = Array.isArray(body)
    await behaviour.onRequest(isBatch ? body : [body], isBatch, response)
  })
  const sockets = new WebSocketServer({ server: http.server })
  sockets.on('connection', (socket) => {
    socket.on('error', () => socket.terminate())
    socket.on('message', (data) => {
      const reply = behaviour.onMessage(JSON.parse(String(data)) as RpcMessage, socket)
      if (reply !== null) socket.send(reply)
    })
  })
  return {
    url: http.url,
    wsUrl: http.url.replace('http', 'ws'),
    sockets: sockets.clients,
    dropConnections: () => http.server.closeAllConnections(),
    close: async () => {
      for (const socket of sockets.clients) socket.terminate()
      sockets.close()
      await http.close()
    },
  }
}

export interface HttpServer {
  readonly url: string
  readonly server: Server
  close(): Promise<void>
}

/**
 * If `handle` fails, its response is destroyed.
 *
 * @param handle gets the request's body as text
 */
export async function serveHttp(
  handle: (body: string, request: IncomingMessage, response: ServerResponse) => void | Promise<void>,
): Promise<HttpServer> {
  const server = createServer((request, response) => {
    const handled = textOf(request).then((body) => handle(body, request, response))
    handled.catch(() => response.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    server,
    close: async () => {
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}

async function textOf(request: IncomingMessage): Promise<string> {
  const received: Buffer[] = []
  for await (const part of request) received.push(part as Buffer)
  return Buffer.concat(received).toString()
}

export function replyTo(id: unknown, result: () => readonly Piece[]): Piece[] {
  const opening = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},`
  try {
    return [`${opening}"result":`, ...result(), '}']
  } catch (error) {
    if (!(error instanceof NodeError)) throw error
    const { code, message, data } = error
    return [`${opening}"error":${JSON.stringify({ code, message, data })}}`]
  }
}

/** @param result throws NodeError for an error reply */
export function bodyOf(
  messages: readonly RpcMessage[],
  isBatch: boolean,
  result: (message: RpcMessage, index: number) => readonly Piece[],
): Piece[] {
  const pieces: Piece[] = isBatch ? ['['] : []
  for (const [i, message] of messages.entries()) {
    if (i > 0) pieces.push(',')
    for (const piece of replyTo(message.id, () => result(message, i))) pieces.push(piece)
  }
  if (isBatch) pieces.push(']')
  return pieces
}

/** Does not join the pieces: the garbage would cost CPU time while other processes are measured. */
export function sendJson(response: ServerResponse, pieces: readonly Piece[]): void {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': lengthOf(pieces) })
  response.cork()
  for (const piece of pieces) response.write(piece, 'latin1')
  response.uncork()
  response.end()
}

export function lengthOf(pieces: readonly Piece[]): number {
  return pieces.reduce((sum, { length }) => sum + length, 0)
}
