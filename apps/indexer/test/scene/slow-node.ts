import { setTimeout as delay } from 'node:timers/promises'
import { serveHttp } from '@dexfeed/lab/node/rpc/serve'
import { closeAfter } from '@dexfeed/test-setup'

export interface SlowNode {
  url: string
  /** Holds all requests until the returned function is called. */
  pause(): () => void
  close(): Promise<void>
}

export interface SlowNodeOptions {
  /** Maximum blocks of one eth_getLogs, as limited by hosted nodes. */
  maxBlocks: number
  /** Delay before each response. */
  delayMs: number
  /**
   * Below this block, requests for logs of all contracts fail because the logs are pruned. Requests by contract
   * succeed.
   */
  firstBlock?: number
  /** Requests for logs by contract wait until it resolves. */
  holdNamed?: Promise<void>
  /** Returns no logs by contract. */
  hidesNamed?: boolean
}

interface RpcRequest {
  id: number
  method: string
  params: ({ fromBlock?: string; toBlock?: string; address?: string | string[] } | string)[]
}

/**
 * Starts a node that forwards requests to a real one, responds slowly and refuses wide log ranges. It ends with the
 * test.
 */
export async function startSlowNode(
  target: string,
  { maxBlocks, delayMs, firstBlock = 0, holdNamed, hidesNamed = false }: SlowNodeOptions,
): Promise<SlowNode> {
  let paused: Promise<void> | undefined
  const answer = async (body: string): Promise<string> => {
    const parsed: RpcRequest | RpcRequest[] = JSON.parse(body)
    await delay(delayMs)
    await paused
    const requests = [parsed].flat()
    const refuse = (code: number, message: string) => {
      const refusals = requests.map(({ id }) => ({ jsonrpc: '2.0', id, error: { code, message } }))
      return JSON.stringify(Array.isArray(parsed) ? refusals : refusals[0])
    }
    if (requests.some((request) => blocksOf(request) > maxBlocks)) {
      return refuse(-32602, `eth_getLogs is limited to a ${maxBlocks} block range`)
    }
    if (requests.some((request) => isPruned(request, firstBlock))) {
      return refuse(-32000, 'history has been pruned for this block')
    }
    if (requests.some(isOfNamed)) await holdNamed
    const response = await fetch(target, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    if (!hidesNamed) return response.text()
    const replies = [(await response.json()) as { id: number; result?: unknown }].flat()
    const hidden = new Set(requests.filter(isOfNamed).map(({ id }) => id))
    const shown = replies.map((reply) => (hidden.has(reply.id) ? { ...reply, result: [] } : reply))
    return JSON.stringify(Array.isArray(parsed) ? shown : shown[0])
  }
  const server = await serveHttp(async (body, _, response) => {
    const text = await answer(body)
    response.setHeader('content-type', 'application/json').end(text)
  })
  return {
    url: server.url,
    pause() {
      let resume = () => {}
      paused = new Promise((resolve) => {
        resume = resolve
      })
      return () => resume()
    },
    close: closeAfter(() => server.close()),
  }
}

function isOfNamed({ method, params }: RpcRequest): boolean {
  return method === 'eth_getLogs' && filterOf(params).address !== undefined
}

function filterOf([first]: RpcRequest['params']) {
  return typeof first === 'object' ? first : {}
}

/** Returns whether a request reads logs of all contracts, or receipts, from blocks below a given one. */
function isPruned(request: RpcRequest, firstBlock: number): boolean {
  if (request.method === 'eth_getBlockReceipts') return Number(request.params[0]) < firstBlock
  return isOfAll(request) && Number(filterOf(request.params).fromBlock) < firstBlock
}

function isOfAll(request: RpcRequest): boolean {
  return blocksOf(request) > 0 && filterOf(request.params).address === undefined
}

function blocksOf({ method, params }: RpcRequest): number {
  const { fromBlock, toBlock } = filterOf(params)
  if (method !== 'eth_getLogs' || fromBlock === undefined || toBlock === undefined) return 0
  return Number(toBlock) - Number(fromBlock) + 1
}
