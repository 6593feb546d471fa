import type { ServerResponse } from 'node:http'
import { NodeError } from '@dexfeed/lab/node/rpc/answer'
import { bodyOf, type RpcMessage, serveRpc } from '@dexfeed/lab/node/rpc/serve'
import type { WebSocket } from 'ws'
import type { MemoryChain } from './memory-chain.ts'

type NodeRequest = Required<RpcMessage> & { id: number }

/** Responds to one request; `honest` returns the chain's own response. Throw NodeError for an error reply. */
export type Respond = (request: NodeRequest, honest: () => unknown) => unknown

export function altered<Result = Fields[]>(
  method: string,
  change: (result: Result, params: readonly unknown[]) => unknown,
): Respond {
  return (request, honest) => {
    const result = honest()
    return request.method === method ? change(structuredClone(result) as Result, request.params) : result
  }
}

export function refusing(method: string | null, code: number, message: string): Respond {
  return (request, honest) => {
    if (method === null || request.method === method) throw new NodeError(code, message)
    return honest()
  }
}

export function limited(blocks: number, code: number, message: string): Respond {
  return ({ method, params }, honest) => {
    const { fromBlock, toBlock } = (params[0] ?? {}) as { fromBlock?: string; toBlock?: string }
    if (method === 'eth_getLogs' && Number(toBlock) - Number(fromBlock) >= blocks) throw new NodeError(code, message)
    return honest()
  }
}

type Fields = Record<string, unknown>

/** Handles a whole HTTP exchange; false leaves it to `respond`. */
type Exchange = (requests: readonly NodeRequest[], response: ServerResponse) => boolean

/** An RPC node whose every response a test decides. Without a script it is honest. */
export interface ScriptedNode {
  readonly url: string
  readonly wsUrl: string
  chain: MemoryChain
  /** Larger responses are refused, as by a proxy in front of the node; default: none. */
  maxBytes: number
  respond: Respond
  exchange: Exchange
  onSocketMessage: (socket: WebSocket, request: NodeRequest) => void
  readonly batches: NodeRequest[][]
  readonly sockets: readonly WebSocket[]
  requested(method?: string): NodeRequest[]
  announce(number: number, header?: object): void
  stop(): Promise<void>
}

export async function startNode(chain: MemoryChain, path = ''): Promise<ScriptedNode> {
  const server = await serveRpc({
    onRequest(messages, isBatch, response) {
      const requests = messages as NodeRequest[]
      node.batches.push(requests)
      if (node.exchange(requests, response)) return
      const pieces = bodyOf(requests, isBatch, (message) => {
        const request = message as NodeRequest
        const honest = (): unknown => node.chain.respond(request.method, request.params)
        return [JSON.stringify(node.respond(request, honest) ?? null)]
      })
      const body = pieces.join('')
      if (body.length > node.maxBytes) return void response.writeHead(413).end()
      response.setHeader('content-type', 'application/json')
      response.end(body)
    },
    onMessage(message, socket) {
      node.onSocketMessage(socket, message as NodeRequest)
      return null
    },
  })
  const node: ScriptedNode = {
    url: `${server.url}${path}`,
    wsUrl: `${server.wsUrl}${path}`,
    chain,
    maxBytes: Number.POSITIVE_INFINITY,
    respond: (_request, honest) => honest(),
    exchange: () => false,
    onSocketMessage: (socket, { id, method }) => {
      const result = method === 'eth_chainId' ? node.chain.respond(method, []) : '0xfeed'
      socket.send(JSON.stringify({ jsonrpc: '2.0', id, result }))
    },
    batches: [],
    get sockets() {
      return [...server.sockets]
    },
    requested: (method) => node.batches.flat().filter((request) => !method || request.method === method),
    announce: (number, header = node.chain.blocks[number]?.header) => {
      const params = { subscription: '0xfeed', result: { number: `0x${number.toString(16)}`, ...header } }
      for (const socket of node.sockets)
        socket.send(JSON.stringify({ jsonrpc: '2.0', method: 'eth_subscription', params }))
    },
    stop: server.close,
  }
  return node
}
