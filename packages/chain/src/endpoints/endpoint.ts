import type { ChainError } from '../errors/chain-error.ts'
import { classifyRpcError } from '../errors/classify-rpc-error.ts'
import { EndpointFailure } from '../errors/endpoint-failure.ts'
import type { RpcReply, RpcRequest } from '../json-rpc/messages.ts'
import { requestedRangeOf } from '../json-rpc/requests.ts'
import type { HttpEndpoint, HttpReplies } from '../transport/http-endpoint.ts'
import { maskText, maskUrl } from '../transport/mask-url.ts'
import { type LogRange, logRange } from './log-range.ts'
import { type Priority, type RequestGate, requestGate } from './request-gate.ts'

/** One RPC endpoint and what was learnt about it. */
export interface Endpoint {
  readonly url: string
  readonly masked: string
  readonly gate: RequestGate
  /** Spans of the whole chain's logs by topic. */
  readonly topicRange: LogRange
  /** Spans of a few addresses' logs. */
  readonly addressRange: LogRange
  /** Its chain id, as checked since a connection to it was last lost. */
  chain: 'unchecked' | 'right' | 'wrong'
  /** Not to be asked before (clock milliseconds). */
  coolUntil: number
  /** Failures in a row. */
  failures: number
  /** Why it was last set aside; null since it answered. */
  trouble: ChainError | null
  /** Full blocks in one batch; follows their size. */
  blocksPerBatch: number
  /** Whether eth_call takes a block by hash (EIP-1898). */
  callsByHash: boolean
  /** Sends the questions, in as many batches as the endpoint takes; a reply may be an error. */
  send(requests: readonly RpcRequest[], priority: Priority, signal: AbortSignal): Promise<HttpReplies>
  close(): Promise<void>
}

/** Questions in one batch, until an endpoint refuses it. */
const BATCH = 100
const FIRST_BLOCKS_PER_BATCH = 5

/** @param openHttp gets what to call when a connection is gone */
export function openEndpoint(
  url: string,
  openHttp: (onDisconnect: () => void) => HttpEndpoint,
  slots: number,
): Endpoint {
  const http = openHttp(() => {
    endpoint.chain = 'unchecked'
  })
  const gate = requestGate(slots)
  let batch = BATCH

  const sendBatch = async (
    requests: readonly RpcRequest[],
    priority: Priority,
    signal: AbortSignal,
  ): Promise<HttpReplies> => {
    const size = batch
    if (requests.length > size) return sendSplit(requests, size, priority, signal)
    try {
      const answer = await gate.run(priority, () => http.post(requests, signal))
      gate.served()
      return answer
    } catch (error) {
      if (!refusesBatch(error) || requests.length === 1) throw error
      batch = Math.min(batch, Math.max(1, requests.length >> 1))
      return sendSplit(requests, batch, priority, signal)
    }
  }
  const sendSplit = async (
    requests: readonly RpcRequest[],
    size: number,
    priority: Priority,
    signal: AbortSignal,
  ): Promise<HttpReplies> => {
    const parts: Promise<HttpReplies>[] = []
    for (let i = 0; i < requests.length; i += size) parts.push(sendBatch(requests.slice(i, i + size), priority, signal))
    const answers = await Promise.all(parts)
    return { replies: answers.flatMap(({ replies }) => replies), bytes: answers.reduce((sum, a) => sum + a.bytes, 0) }
  }

  const endpoint: Endpoint = {
    url,
    masked: maskUrl(url),
    gate,
    topicRange: logRange(),
    addressRange: logRange(2000),
    chain: 'unchecked',
    coolUntil: 0,
    failures: 0,
    trouble: null,
    blocksPerBatch: FIRST_BLOCKS_PER_BATCH,
    callsByHash: true,
    send: sendBatch,
    close: http.close,
  }
  return endpoint
}

function refusesBatch(error: unknown): boolean {
  return error instanceof EndpointFailure && error.verdict.kind === 'unsupported' && error.verdict.what === 'batch'
}

/** The failure that an error reply to one question is. */
export function replyFailure(endpoint: Endpoint, request: RpcRequest, reply: RpcReply): EndpointFailure | null {
  if (!('error' in reply)) return null
  const { code, message, data } = reply.error
  const verdict = classifyRpcError({ code, message, data, requestedRange: requestedRangeOf([request]) })
  const detail = `${code === null ? '' : `code ${code}: `}${maskText(message, endpoint.url)}`
  return new EndpointFailure({ endpoint: endpoint.masked, method: request.method, verdict, detail, code })
}
