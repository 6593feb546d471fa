import type { Hex } from '@dexfeed/dex'
import { answer, type ChainView, type LogFilter, NodeError, numberOfTag } from './answer.ts'
import { Budget } from './budget.ts'
import { bodyOf, type RpcMessage, sendJson, serveRpc } from './serve.ts'

export interface NodeLimits {
  logRange?: number
  /** Whether only the error's `data` names the limit. */
  limitInData?: boolean
  /** eth_getLogs without an address fails or returns nothing. */
  logsByTopic?: 'refused' | 'hidden'
  batch?: number
  /** Requests per second; more get HTTP 429. */
  perS?: number
  noFinalized?: boolean
  keepsFrom?: number
  page?: boolean
  dateOffsetS?: number
}

const PAGE = '<!DOCTYPE html><html><title>Just a moment...</title></html>'

export function startLimitedNode<B extends { number: number }>(view: ChainView<B, unknown>, limits: NodeLimits) {
  const { perS = null, batch = Number.POSITIVE_INFINITY, page, dateOffsetS = 0 } = limits
  const budget = new Budget({ rate: perS, burst: perS ?? 1, refusal: 'http' }, () => performance.now())
  return serveRpc({
    onRequest(messages, isBatch, response) {
      response.setHeader('date', new Date(Date.now() + dateOffsetS * 1_000).toUTCString())
      if (page) return void response.writeHead(200, { 'content-type': 'text/html' }).end(PAGE)
      if (budget.take(messages.length) < messages.length) {
        return void response.writeHead(429, { 'content-type': 'text/plain' }).end('Too Many Requests')
      }
      // Like geth, reply with a list of one error.
      const isTooLarge = messages.length > batch
      const pieces = bodyOf(isTooLarge ? messages.slice(0, 1) : messages, isBatch, (message) => {
        if (isTooLarge) throw new NodeError(-32600, 'batch too large')
        return [JSON.stringify(resultWithin(view, limits, message) ?? null)]
      })
      sendJson(response, pieces)
    },
    onMessage: ({ id }) => JSON.stringify({ jsonrpc: '2.0', id, result: `0x${view.chainId.toString(16)}` }),
  })
}

/** @throws NodeError beyond a limit */
function resultWithin<B extends { number: number }>(
  view: ChainView<B, unknown>,
  { logRange = Number.POSITIVE_INFINITY, limitInData, logsByTopic, noFinalized, keepsFrom = 0 }: NodeLimits,
  { method, params = [] }: RpcMessage,
): unknown {
  const [first] = params
  if (method === 'eth_getLogs') {
    const { fromBlock, toBlock, blockHash, address } = first as LogFilter
    const from = blockHash === undefined ? Number(fromBlock) : (view.byHash(blockHash as Hex)?.number ?? 0)
    if (Number(toBlock) - from >= logRange) throw rangeError(logRange, limitInData)
    if (from < keepsFrom) throw new NodeError(4444, 'pruned history unavailable')
    if (address === undefined && logsByTopic === 'refused') throw new NodeError(-32701, 'Please specify an address')
    if (address === undefined && logsByTopic === 'hidden') return []
  }
  if (noFinalized === true && first === 'finalized') throw new NodeError(-32602, 'invalid argument 0: finalized')
  if (/^eth_getBlock(ByNumber|Receipts)$/.test(method) && numberOfTag(view, first) < keepsFrom) return null
  return answer(view, method, params)
}

function rangeError(max: number, inData = false): NodeError {
  const what = `block range is too large, max ${max}`
  return inData ? new NodeError(-32602, 'invalid params', { payload: what }) : new NodeError(-32602, what)
}
