import type { Address, BlockRange, Hex } from '@dexfeed/dex'
import { cutLists, type ObjectTexts } from './cut-lists.ts'
import { toQuantity } from './rpc-value.ts'

export interface RpcRequest {
  method: string
  params: readonly unknown[]
}

interface RpcErrorBody {
  code: number | null
  message: string
  data: unknown
}

export type RpcReply = { result: unknown } | { error: RpcErrorBody }

export type RpcBody =
  | { kind: 'replies'; replies: RpcReply[] }
  /** One error for the whole batch, without an id. */
  | { kind: 'error'; error: RpcErrorBody }
  /** Not JSON-RPC, or not the response to these requests. */
  | { kind: 'malformed'; what: string }

/** Returns the body of a POST. A single request is not sent as a batch, because some nodes refuse batches. */
export function writeRequests(requests: readonly RpcRequest[], firstId: number): string {
  const messages = requests.map(({ method, params }, i) => ({ jsonrpc: '2.0', id: firstId + i, method, params }))
  return JSON.stringify(messages.length === 1 ? messages[0] : messages)
}

/**
 * Reads the replies to `count` requests with ids from `firstId` on, in the order of the requests. Logs, receipts and
 * the transactions of full blocks may be ObjectTexts instead of lists.
 */
export function readReplies(text: string, count: number, firstId: number): RpcBody {
  let body: unknown
  try {
    body = parseWithoutLists(text) ?? JSON.parse(text)
  } catch {
    return { kind: 'malformed', what: text.trim() === '' ? 'an empty body' : 'a body that is not whole JSON' }
  }
  if (!Array.isArray(body)) {
    if (!isRecord(body)) return { kind: 'malformed', what: 'neither an object nor an array' }
    const error = errorOf(body)
    if (error && (count > 1 || body.id === null || body.id === undefined)) return { kind: 'error', error }
    if (count > 1) return { kind: 'malformed', what: 'one reply to a batch' }
    return matchReplies([body], count, firstId)
  }
  const [only] = body
  // geth refuses a batch that is too large with one error in a list.
  const refusal = body.length === 1 && count > 1 && isRecord(only) ? errorOf(only) : null
  return refusal ? { kind: 'error', error: refusal } : matchReplies(body, count, firstId)
}

function parseWithoutLists(text: string): unknown {
  const cut = cutLists(text)
  if (cut === null) return null
  try {
    const body: unknown = JSON.parse(cut.text)
    return putBack(Array.isArray(body) ? body : [body], cut.lists) ? body : null
  } catch {
    return null
  }
}

function putBack(messages: readonly unknown[], lists: readonly ObjectTexts[]): boolean {
  let found = 0
  for (const message of messages) {
    if (!isRecord(message)) continue
    const { result } = message
    if (isRecord(result) && result.transactions === found) result.transactions = lists[found++]
    else if (result === found) message.result = lists[found++]
  }
  return found === lists.length
}

function matchReplies(messages: readonly unknown[], count: number, firstId: number): RpcBody {
  const replies = new Array<RpcReply | undefined>(count)
  for (const message of messages) {
    if (!isRecord(message)) return { kind: 'malformed', what: 'a reply that is not an object' }
    const index = idOf(message.id) - firstId
    const error = errorOf(message)
    if (error && (message.id === null || message.id === undefined)) return { kind: 'error', error }
    if (!(index >= 0 && index < count) || replies[index]) {
      return { kind: 'malformed', what: 'a reply with an id that was not requested' }
    }
    if (error) replies[index] = { error }
    else if ('result' in message) replies[index] = { result: message.result }
    else return { kind: 'malformed', what: 'a reply with neither result nor error' }
  }
  const whole = replies.filter((reply) => reply !== undefined)
  if (whole.length !== count) return { kind: 'malformed', what: `${whole.length} of ${count} replies` }
  return { kind: 'replies', replies: whole }
}

/** Some nodes return numeric ids as strings. */
function idOf(id: unknown): number {
  return typeof id === 'number' ? id : typeof id === 'string' && /^\d{1,15}$/.test(id) ? Number(id) : Number.NaN
}

function errorOf(message: Record<string, unknown>): RpcErrorBody | null {
  const { error } = message
  if (error === undefined || error === null) return null
  if (!isRecord(error)) return { code: null, message: String(error), data: null }
  const code = typeof error.code === 'number' ? error.code : Number.NaN
  const text = typeof error.message === 'string' ? error.message : ''
  return { code: Number.isNaN(code) ? null : code, message: text, data: error.data ?? null }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export interface LogFilter {
  /** Alternatives for the first topic. If empty, every log matches. */
  topics: readonly Hex[]
  /** If empty, every address matches. */
  addresses?: readonly Address[]
  /** Contracts whose logs without topics are requested, too. */
  emitters?: readonly Address[]
}

export function headerRequest(block: number | 'latest' | 'finalized'): RpcRequest {
  return { method: 'eth_getBlockByNumber', params: [typeof block === 'number' ? toQuantity(block) : block, false] }
}

export function blockRequest(number: number): RpcRequest {
  return { method: 'eth_getBlockByNumber', params: [toQuantity(number), true] }
}

export function logsRequests(filter: LogFilter, { from, to }: BlockRange): RpcRequest[] {
  const range = { fromBlock: toQuantity(from), toBlock: toQuantity(to) }
  return filtersOf(filter).map((each) => ({ method: 'eth_getLogs', params: [{ ...each, ...range }] }))
}

export function logsOfBlockRequests(filter: LogFilter, blockHash: Hex): RpcRequest[] {
  return filtersOf(filter).map((each) => ({ method: 'eth_getLogs', params: [{ ...each, blockHash }] }))
}

export function responseCount({ emitters = [] }: LogFilter): 1 | 2 {
  return emitters.length > 0 ? 2 : 1
}

function filtersOf({ topics, addresses = [], emitters = [] }: LogFilter): object[] {
  const byTopic = {
    ...(addresses.length > 0 ? { address: addresses } : {}),
    ...(topics.length > 0 ? { topics: [topics] } : {}),
  }
  return emitters.length > 0 ? [byTopic, { address: emitters }] : [byTopic]
}

export function requestedRangeOf(requests: readonly RpcRequest[]): BlockRange | null {
  const filter = requests.find(({ method }) => method === 'eth_getLogs')?.params[0]
  if (typeof filter !== 'object' || filter === null) return null
  if ('blockHash' in filter) return { from: 0, to: 0 }
  if (!('fromBlock' in filter && 'toBlock' in filter)) return null
  return { from: Number(filter.fromBlock), to: Number(filter.toBlock) }
}

export function transactionRequest(hash: Hex): RpcRequest {
  return { method: 'eth_getTransactionByHash', params: [hash] }
}

export function receiptRequest(hash: Hex): RpcRequest {
  return { method: 'eth_getTransactionReceipt', params: [hash] }
}

export function blockReceiptsRequest(number: number): RpcRequest {
  return { method: 'eth_getBlockReceipts', params: [toQuantity(number)] }
}
