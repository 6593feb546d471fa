import type { ServerResponse } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import type { WebSocket } from 'ws'
import { quantity } from '../../chain/abi.ts'
import { answer, type ChainView, NodeError } from './answer.ts'
import { Budget, type BudgetPlan, NO_LIMIT } from './budget.ts'
import { bodyOf, lengthOf, type Piece, type RpcMessage, replyTo, sendJson, serveRpc } from './serve.ts'
import type { PurposeUsage } from './usage.ts'

/** A node that shows a chain as it is, within a budget. */
export interface HonestNode {
  readonly httpUrl: string
  readonly wsUrl: string
  /** Sends a head to the sockets that subscribed. @param head JSON */
  announce(head: string): void
  close(): Promise<void>
}

export interface HonestNodeOptions<B extends { number: number }> {
  view: ChainView<B, readonly Piece[]>
  /** Default: no limit. */
  budget?: BudgetPlan
  /** Milliseconds before a reply is sent; default: 0. */
  latencyMs?: number
  /** The counter that a message belongs to; absent: nothing is counted. */
  usageOf?: (method: string, params: readonly unknown[]) => PurposeUsage
  onRequest?: () => void
}

const TOO_MANY = new NodeError(429, 'rate limit exceeded: too many requests per second')
const SUBSCRIPTION = '0x1'

export async function startHonestNode<B extends { number: number }>(
  options: HonestNodeOptions<B>,
): Promise<HonestNode> {
  const { view, budget: plan = NO_LIMIT, latencyMs = 0, onRequest } = options
  const budget = new Budget(plan, () => performance.now())
  const subscribers = new Set<WebSocket>()
  const server = await serveRpc({
    async onRequest(messages, isBatch, response) {
      onRequest?.()
      const allowed = budget.take(messages.length)
      const replies = messages.map((message, i) => (i < allowed ? reply(options, message) : refuse(options, message)))
      if (latencyMs > 0) await delay(latencyMs)
      if (allowed < messages.length && plan.refusal === 'http') return refuseWhole(response)
      sendJson(response, bodyOf(replies, isBatch))
    },
    onMessage({ id, method }, socket) {
      if (method === 'eth_subscribe') {
        subscribers.add(socket)
        socket.on('close', () => subscribers.delete(socket))
      }
      const result =
        method === 'eth_subscribe' ? SUBSCRIPTION : method === 'eth_chainId' ? quantity(view.chainId) : null
      return JSON.stringify({ jsonrpc: '2.0', id, result })
    },
  })
  return {
    httpUrl: server.url,
    wsUrl: server.wsUrl,
    announce: (head) => {
      const params = `{"subscription":"${SUBSCRIPTION}","result":${head}}`
      for (const socket of subscribers) {
        socket.send(`{"jsonrpc":"2.0","method":"eth_subscription","params":${params}}`)
      }
    },
    close: server.close,
  }
}

function reply<B extends { number: number }>(
  { view, usageOf }: HonestNodeOptions<B>,
  { id, method, params = [] }: RpcMessage,
): Piece[] {
  const used = usageOf?.(method, params)
  if (used !== undefined) used.methods[method] = (used.methods[method] ?? 0) + 1
  return replyTo(id, () => {
    const result = answer(view, method, params)
    if (used !== undefined) used.bytes += lengthOf(result)
    return result
  })
}

function refuse<B extends { number: number }>(
  { usageOf }: HonestNodeOptions<B>,
  { id, method, params = [] }: RpcMessage,
): Piece[] {
  const used = usageOf?.(method, params)
  if (used !== undefined) used.refused++
  return refusalOf(id)
}

function refuseWhole(response: ServerResponse): void {
  response.writeHead(429, { 'content-type': 'application/json', 'retry-after': '1' })
  response.end(refusalOf(null).join(''))
}

function refusalOf(id: unknown): Piece[] {
  return replyTo(id, () => {
    throw TOO_MANY
  })
}
