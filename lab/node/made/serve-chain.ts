import { setTimeout as delay } from 'node:timers/promises'
import type { Hex } from '@dexfeed/dex'
import type { WebSocket } from 'ws'
import { quantity } from '../../chain/abi.ts'
import type { MadeChain } from '../../chain/made/made-chain.ts'
import { answer, type LogFilter, NodeError, numberOfTag } from '../rpc/answer.ts'
import { Budget, type BudgetPlan } from '../rpc/budget.ts'
import { bodyOf, lengthOf, type Piece, type RpcMessage, replyTo, sendJson, serveRpc } from '../rpc/serve.ts'
import { type NodeUsage, noUsage, type Purpose } from '../rpc/usage.ts'
import { headText, madeView } from './made-view.ts'

export interface ChainNode {
  readonly httpUrl: string
  readonly wsUrl: string
  readonly usage: NodeUsage
  /** Returns when the first request since the last call came, in milliseconds since 1970. */
  firstRequestAt(): number | null
  publish(): void
  close(): Promise<void>
}

export interface NodeLimits {
  budget: BudgetPlan
  latencyMs: number
  receipts: boolean
}

const SUBSCRIPTION = '0x1'

export async function serveChain(
  chain: MadeChain,
  { budget: plan, latencyMs, receipts }: NodeLimits,
): Promise<ChainNode> {
  const usage = noUsage()
  const view = madeView(chain, receipts)
  const budget = new Budget(plan, () => performance.now())
  const subscribers = new Set<WebSocket>()
  let requestedAt: number | null = null
  const resultOf = ({ method, params = [] }: RpcMessage, isAllowed: boolean): readonly Piece[] => {
    const used = usage[purposeOf(chain, view, method, params)]
    if (!isAllowed) {
      used.refused++
      return refuse()
    }
    used.methods[method] = (used.methods[method] ?? 0) + 1
    const result = answer(view, method, params)
    used.bytes += lengthOf(result)
    return result
  }
  const server = await serveRpc({
    async onRequest(messages, isBatch, response) {
      requestedAt ??= performance.timeOrigin + performance.now()
      const allowed = budget.take(messages.length)
      const pieces = bodyOf(messages, isBatch, (message, i) => resultOf(message, i < allowed))
      if (latencyMs > 0) await delay(latencyMs)
      if (allowed === messages.length || plan.refusal === 'item') return sendJson(response, pieces)
      response.writeHead(429, { 'content-type': 'application/json', 'retry-after': '1' })
      response.end(replyTo(null, refuse).join(''))
    },
    onMessage({ id, method }, socket) {
      if (method === 'eth_subscribe') {
        subscribers.add(socket)
        socket.on('close', () => subscribers.delete(socket))
      }
      const results: Record<string, string> = { eth_subscribe: SUBSCRIPTION, eth_chainId: quantity(view.chainId) }
      return JSON.stringify({ jsonrpc: '2.0', id, result: results[method] ?? null })
    },
  })
  return {
    httpUrl: server.url,
    wsUrl: server.wsUrl,
    usage,
    firstRequestAt: () => {
      const first = requestedAt
      requestedAt = null
      return first
    },
    publish: () => {
      chain.extend()
      const head = chain.headerAt(chain.head)
      if (head === null) return
      const params = `{"subscription":"${SUBSCRIPTION}","result":${headText(chain, head)}}`
      for (const socket of subscribers) {
        socket.send(`{"jsonrpc":"2.0","method":"eth_subscription","params":${params}}`)
      }
    },
    close: server.close,
  }
}

function refuse(): never {
  throw new NodeError(429, 'rate limit exceeded: too many requests per second')
}

function purposeOf(
  chain: MadeChain,
  view: { head: number; finalized: number },
  method: string,
  [first]: readonly unknown[],
): Purpose {
  const ofBlock = (number: number): Purpose => (number > chain.firstHead ? 'head' : 'history')
  switch (method) {
    case 'eth_blockNumber':
      return 'head'
    case 'eth_getBlockByNumber':
    case 'eth_getBlockReceipts': {
      const number = numberOfTag(view, first)
      return Number.isInteger(number) ? ofBlock(number) : 'head'
    }
    case 'eth_getLogs': {
      const { blockHash, fromBlock } = first as LogFilter
      return ofBlock(blockHash === undefined ? Number(fromBlock) : (chain.numberOf(blockHash) ?? 0))
    }
    case 'eth_getTransactionReceipt':
      return ofBlock(chain.placeOfTransaction(String(first) as Hex)?.number ?? 0)
    case 'eth_call':
    case 'eth_getCode':
    case 'eth_getBlockByHash':
      return 'state'
    default:
      return 'other'
  }
}
