import type { ChainError } from '../errors/chain-error.ts'
import { classifyRpcError } from '../errors/classify-rpc-error.ts'
import { EndpointFailure } from '../errors/endpoint-failure.ts'
import type { RpcReply, RpcRequest } from '../json-rpc/messages.ts'
import { requestedRangeOf } from '../json-rpc/requests.ts'
import type { HttpEndpoint, HttpReplies } from '../transport/http-endpoint.ts'
import { maskText, maskUrl } from '../transport/mask-url.ts'
import { LogRange } from './log-range.ts'
import { type Priority, RequestGate } from './request-gate.ts'

/** Questions in one batch, until an endpoint refuses it. */
const BATCH = 100
const FIRST_BLOCKS_PER_BATCH = 5

/** One RPC endpoint and what was learnt about it. */
export class Endpoint {
  readonly url: string
  readonly masked: string
  readonly gate: RequestGate
  /** Spans of the whole chain's logs by topic. */
  readonly topicRange = new LogRange()
  /** Spans of a few addresses' logs. */
  readonly addressRange = new LogRange(2000)
  /** Its chain id, as checked since a connection to it was last lost. */
  chain: 'unchecked' | 'right' | 'wrong' = 'unchecked'
  /** Not to be asked before (clock milliseconds). */
  coolUntil = 0
  /** Failures in a row. */
  failures = 0
  /** Why it was last set aside; null since it answered. */
  trouble: ChainError | null = null
  /** Full blocks in one batch; follows their size. */
  blocksPerBatch = FIRST_BLOCKS_PER_BATCH
  /** Not to be asked for what proves a block before (clock milliseconds). */
  provesFrom = 0
  /** Whether eth_call takes a block by hash (EIP-1898). */
  callsByHash = true
  readonly #http: HttpEndpoint
  #batch = BATCH

  /**
   * @param slots requests in flight
   * @param openHttp gets what to call when a connection is gone
   */
  constructor(url: string, slots: number, openHttp: (onDisconnect: () => void) => HttpEndpoint) {
    this.url = url
    this.masked = maskUrl(url)
    this.gate = new RequestGate(slots)
    this.#http = openHttp(() => {
      this.chain = 'unchecked'
    })
  }

  /** Sends the questions, in as many batches as the endpoint takes; a reply may be an error. */
  async send(requests: readonly RpcRequest[], priority: Priority, signal: AbortSignal): Promise<HttpReplies> {
    if (requests.length > this.#batch) return this.#sendSplit(requests, priority, signal)
    try {
      const answer = await this.gate.run(priority, () => this.#http.post(requests, signal))
      this.gate.served()
      return answer
    } catch (error) {
      const most = batchTaken(error, requests.length)
      if (most === null) throw error
      this.#batch = Math.min(this.#batch, most)
      return this.#sendSplit(requests, priority, signal)
    }
  }

  async #sendSplit(requests: readonly RpcRequest[], priority: Priority, signal: AbortSignal): Promise<HttpReplies> {
    const size = this.#batch
    const parts: Promise<HttpReplies>[] = []
    for (let i = 0; i < requests.length; i += size) parts.push(this.send(requests.slice(i, i + size), priority, signal))
    const answers = await Promise.all(parts)
    return { replies: answers.flatMap(({ replies }) => replies), bytes: answers.reduce((sum, a) => sum + a.bytes, 0) }
  }

  /** Learns that an answer had room for so many of a batch's replies. */
  answered(count: number): void {
    this.#batch = Math.min(this.#batch, Math.max(1, count))
  }

  /** The failure that the reply to a question is; null for a result. */
  failure(request: RpcRequest, reply: RpcReply): EndpointFailure | null {
    if (!('error' in reply)) return null
    const { code, message, data } = reply.error
    const verdict = classifyRpcError({ code, message, data, requestedRange: requestedRangeOf([request]) })
    const detail = `${code === null ? '' : `code ${code}: `}${maskText(message, this.url)}`
    return new EndpointFailure({ endpoint: this.masked, method: request.method, verdict, detail, code })
  }

  close(): Promise<void> {
    return this.#http.close()
  }
}

/** How many questions a batch may have that was refused for its size; null where it was not. */
function batchTaken(error: unknown, asked: number): number | null {
  if (!(error instanceof EndpointFailure) || asked === 1) return null
  const { verdict } = error
  if (verdict.kind !== 'unsupported' || verdict.what !== 'batch') return null
  const half = asked >> 1
  return verdict.most !== undefined && verdict.most < asked ? verdict.most : half
}
