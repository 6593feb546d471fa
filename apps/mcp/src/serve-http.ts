import type { IncomingMessage, ServerResponse } from 'node:http'
import { closeServer, createServer, type Logger, listenOn, urlOf } from '@dexfeed/service'
import type { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'

const HOST = '127.0.0.1'
const PATH = '/mcp'
const MAX_BODY = 262_144
const FINISH_MS = 5_000

export interface HttpService {
  url: string
  close(): Promise<void>
}

/**
 * Serves MCP over streamable HTTP on the loopback interface, without sessions. Refuses web pages that reach this port
 * under another host name (DNS rebinding) or from another origin.
 *
 * @throws Error if it cannot listen on the port
 */
export async function serveHttp(newServer: () => Server, port: number, log: Logger): Promise<HttpService> {
  const server = createServer((request, response) => {
    respond(newServer, request, response).catch((error: unknown) => {
      log.error({ err: error }, 'an MCP request failed')
      response.destroy()
    })
  })
  await listenOn(server, HOST, port)
  return { url: urlOf(server) + PATH, close: () => closeServer(server, FINISH_MS) }
}

async function respond(newServer: () => Server, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const refused = refusalOf(request)
  if (refused !== null) {
    response.writeHead(refused.status, { 'Content-Type': 'application/json', Connection: 'close', ...refused.headers })
    response.end(JSON.stringify({ jsonrpc: '2.0', error: { code: -32000, message: refused.message }, id: null }))
    return
  }
  const server = newServer()
  const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true, maxRequestBodySize: MAX_BODY })
  // If the client disconnects, its call is aborted.
  response.once('close', () => void server.close())
  // A cast, because the class declares `undefined` where the interface does not allow it.
  await server.connect(transport as Transport)
  await transport.handleRequest(request, response)
}

interface Refusal {
  status: number
  message: string
  headers?: Record<string, string>
}

function refusalOf({ headers, method, url, socket }: IncomingMessage): Refusal | null {
  const own = [HOST, 'localhost'].map((name) => `${name}:${socket.localPort}`)
  if (!own.includes(headers.host ?? '')) return { status: 403, message: `the header Host must be ${own.join(' or ')}` }
  if (headers.origin !== undefined && !own.some((host) => headers.origin === `http://${host}`)) {
    return { status: 403, message: 'pages of other origins may not call this server' }
  }
  if (url?.split('?', 1)[0] !== PATH) return { status: 404, message: `the only path is ${PATH}` }
  if (method !== 'POST') return { status: 405, message: 'only POST is supported', headers: { Allow: 'POST' } }
  return null
}
