import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type WebSocket, WebSocketServer } from 'ws'
import { type MemoryChain, NodeError } from './memory-chain.ts'

interface NodeRequest {
  id: number
  method: string
  params: readonly unknown[]
}

/** Responds to one request; `honest` returns the chain's own response. Throw NodeError for an error reply. */
export type Respond = (request: NodeRequest, honest: () => unknown) => unknown

/** Handles a whole HTTP exchange; false leaves it to `respond`. */
type Exchange = (requests: readonly NodeRequest[], response: ServerResponse) => boolean

/** An RPC node whose every response a test decides. Without a script it is honest. */
export interface ScriptedNode {
  readonly url: string
  readonly wsUrl: string
  chain: MemoryChain
  respond: Respond
  exchange: Exchange
  /** Handles a message on an open socket; default: confirms subscriptions. */
  onSocketMessage: (socket: WebSocket, request: NodeRequest) => void
  readonly batches: NodeRequest[][]
  readonly sockets: WebSocket[]
  requested(method?: string): NodeRequest[]
  /** Announces a new head on all sockets, with the chain's header if it has that block. */
  announce(number: number, header?: object): void
  stop(): Promise<void>
}

export async function startNode(chain: MemoryChain, path = ''): Promise<ScriptedNode> {
  const server = createServer((request, response) => {
    serve(node, request, response).catch(() => response.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const sockets = new WebSocketServer({ server })
  const node: ScriptedNode = {
    url: `http://127.0.0.1:${port}${path}`,
    wsUrl: `ws://127.0.0.1:${port}${path}`,
    chain,
    respond: (_request, honest) => honest(),
    exchange: () => false,
    onSocketMessage: (socket, { id, method }) => {
      const result = method === 'eth_chainId' ? node.chain.respond(method, []) : '0xfeed'
      socket.send(JSON.stringify({ jsonrpc: '2.0', id, result }))
    },
    batches: [],
    sockets: [],
    requested: (method) => node.batches.flat().filter((request) => !method || request.method === method),
    announce: (number, header = node.chain.blocks[number]?.header) => {
      const params = { subscription: '0xfeed', result: { number: `0x${number.toString(16)}`, ...header } }
      for (const socket of node.sockets)
        socket.send(JSON.stringify({ jsonrpc: '2.0', method: 'eth_subscription', params }))
    },
    stop: async () => {
      for (const socket of sockets.clients) socket.terminate()
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
  sockets.on('connection', (socket) => {
    node.sockets.push(socket)
    socket.on('close', () => node.sockets.splice(node.sockets.indexOf(socket), 1))
    socket.on('message', (data) => node.onSocketMessage(socket, JSON.parse(String(data)) as NodeRequest))
  })
  return node
}

async function serve(node: ScriptedNode, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const body: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'))
  const requests = (Array.isArray(body) ? body : [body]) as NodeRequest[]
  node.batches.push(requests)
  if (node.exchange(requests, response)) return
  const replies = requests.map((one) => reply(node, one))
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify(Array.isArray(body) ? replies : replies[0]))
}

function reply(node: ScriptedNode, request: NodeRequest): object {
  const head = { jsonrpc: '2.0', id: request.id }
  try {
    const honest = (): unknown => node.chain.respond(request.method, request.params)
    return { ...head, result: node.respond(request, honest) ?? null }
  } catch (error) {
    if (!(error instanceof NodeError)) throw error
    return { ...head, error: { code: error.code, message: error.message, data: error.data } }
  }
}
