import { MINUTE } from '@dexfeed/dex'
import type { ChainError } from '../errors/chain-error.ts'
import { EndpointFailure } from '../errors/chain-error.ts'
import { classifyRpcError } from '../errors/classify-rpc-error.ts'
import type { RpcReply, RpcRequest } from '../json-rpc/messages.ts'
import { requestedRangeOf } from '../json-rpc/requests.ts'
import type { HttpEndpoint, HttpReplies } from '../transport/http-endpoint.ts'
import { maskText, maskUrl } from '../transport/mask-url.ts'
import { LogRange } from './log-range.ts'
import type { RequestBudget } from './request-budget.ts'
import { type Priority, RequestGate } from './request-gate.ts'

/** Questions in one batch, until an endpoint refuses it. */
const BATCH = 100
const FIRST_BLOCKS_PER_BATCH = 5
/** Work in bulk that is refused for its rate is sent again, smaller, so many times before another endpoint is tried. */
const REFUSALS = 5
/** It does not wait here for an endpoint that asks for more time than this. */
const LONGEST_WAIT = MINUTE / 2

/** What became of some questions: the endpoint's reply, a refusal for their rate. */
export interface RequestReport {
  /** Masked. */
  endpoint: string
  priority: Priority
  items: number
  /** Of the items. */
  refused: number
  /** How long they waited for the endpoint's budget. */
  waitedMs: number
}

export interface EndpointOptions {
  url: string
  /** Requests in flight. */
  slots: number
  budget: RequestBudget
  onRequest: (report: RequestReport) => void
  /** Is waited for before each batch of work in bulk. */
  bulkTurn: () => Promise<void>
  /** Gets what to call when a connection is gone. */
  openHttp: (onDisconnect: () => void) => HttpEndpoint
}

/** One RPC endpoint and what was learnt about it. */
export class Endpoint {
  readonly url: string
  /** With its port. */
  readonly host: string
  readonly masked: string
  readonly budget: RequestBudget
  readonly bulkTurn: () => Promise<void>
  /** Spans of the whole chain's logs by topic. */
  readonly topicRange = new LogRange()
  /** Spans of a few addresses' logs. */
  readonly addressRange = new LogRange(2000)
  /** Its chain id, as checked since a connection to it was last lost. */
  chain: 'unchecked' | 'right' | 'wrong' = 'unchecked'
  /** Not to be asked before (clock milliseconds). */
  coolUntil = 0
  /** Not to be asked for work in bulk before (clock milliseconds), whatever its budget says. */
  bulkFrom = 0
  /** Failures in a row. */
  failures = 0
  /** Why it was last set aside; null since it answered. */
  lastError: ChainError | null = null
  /** Full blocks in one batch; follows their size. */
  blocksPerBatch = FIRST_BLOCKS_PER_BATCH
  /** More blocks did not come in time; grows slowly again, by parts of a block. */
  timelyBlocks = Number.POSITIVE_INFINITY
  /** Not to be asked for what proves a block before (clock milliseconds). */
  provesFrom = 0
  /** So many more of its blocks have their transactions compared, each: it told some falsely. */
  doubtedBlocks = 0
  /** Whether eth_call takes a block by hash (EIP-1898). */
  callsByHash = true
  /** Blocks at which it did not run code that is not deployed, since it last ran some. */
  readonly codeRefusedAt = new Set<string>()
  readonly #gate: RequestGate
  readonly #http: HttpEndpoint
  readonly #onRequest: (report: RequestReport) => void
  #batch = BATCH

  constructor({ url, slots, budget, onRequest, bulkTurn, openHttp }: EndpointOptions) {
    this.url = url
    this.host = new URL(url).host
    this.masked = maskUrl(url)
    this.budget = budget
    this.#gate = new RequestGate(slots)
    this.#onRequest = onRequest
    this.bulkTurn = bulkTurn
    this.#http = openHttp(() => {
      this.chain = 'unchecked'
    })
  }

  /** Not to be asked for such work before (clock milliseconds). */
  readyAt(priority: Priority): number {
    return priority === 'live' ? this.coolUntil : Math.max(this.coolUntil, this.bulkFrom, this.budget.bulkFrom)
  }

  /**
   * Sends the questions, in as many batches as the endpoint and its budget take; a reply may be an error. Work in bulk
   * that is refused for its rate waits and is sent again, in smaller batches.
   */
  send(requests: readonly RpcRequest[], priority: Priority, signal: AbortSignal): Promise<HttpReplies> {
    return this.#send(requests, priority, signal, 0)
  }

  async #send(
    requests: readonly RpcRequest[],
    priority: Priority,
    signal: AbortSignal,
    refusals: number,
  ): Promise<HttpReplies> {
    const parts = this.#cut(requests, priority)
    if (parts.length > 1) {
      const responses = await Promise.all(parts.map((part) => this.#send(part, priority, signal, refusals)))
      return {
        replies: responses.flatMap(({ replies }) => replies),
        bytes: responses.reduce((sum, a) => sum + a.bytes, 0),
      }
    }
    try {
      return await this.#post(requests, priority, signal, refusals)
    } catch (error) {
      const most = batchTaken(error, requests.length)
      if (most !== null) this.#batch = Math.min(this.#batch, most)
      else if (!isRefused(error) || !this.#mayWait(priority, refusals) || signal.aborted) throw error
      return this.#send(requests, priority, signal, refusals + (most === null ? 1 : 0))
    }
  }

  /** Sends one batch; what of it was refused for its rate is sent again where it may wait. */
  async #post(
    requests: readonly RpcRequest[],
    priority: Priority,
    signal: AbortSignal,
    refusals: number,
  ): Promise<HttpReplies> {
    if (priority === 'bulk') await this.bulkTurn()
    const spending = await this.budget.take(priority, this.budget.cost(requests), signal)
    const report = { endpoint: this.masked, priority, items: requests.length, waitedMs: spending.waitedMs }
    const refuse = (refused: number, retryAfterMs: number | null) => {
      this.#onRequest({ ...report, refused })
      if (this.budget.refused(priority, spending, retryAfterMs)) this.#gate.slowDown()
    }
    let response: HttpReplies
    try {
      response = await this.#gate.run(priority, () => this.#http.post(requests, signal))
    } catch (error) {
      if (isRefused(error)) refuse(requests.length, error.retryAfterMs)
      else this.#onRequest({ ...report, refused: 0 })
      throw error
    }
    const places = requests.flatMap((request, i) => (this.#refuses(request, response.replies[i]) ? [i] : []))
    if (places.length === 0) {
      this.#onRequest({ ...report, refused: 0 })
      this.budget.served(priority)
      this.#gate.served()
      return response
    }
    refuse(places.length, null)
    if (!this.#mayWait(priority, refusals) || signal.aborted) return response
    const again = places.flatMap((i) => requests[i] ?? [])
    const { replies, bytes } = await this.#send(again, priority, signal, refusals + 1)
    const merged = [...response.replies]
    places.forEach((place, i) => {
      const reply = replies[i]
      if (reply !== undefined) merged[place] = reply
    })
    return { replies: merged, bytes: response.bytes + bytes }
  }

  #refuses(request: RpcRequest, reply: RpcReply | undefined): boolean {
    return reply !== undefined && 'error' in reply && isRefused(this.failure(request, reply))
  }

  /** Work at the head is rather done at another endpoint at once. */
  #mayWait(priority: Priority, refusals: number): boolean {
    return priority === 'bulk' && refusals < REFUSALS && this.budget.bulkPauseMs() <= LONGEST_WAIT
  }

  /** The questions in batches of what endpoint and budget take at once; a single one is never too much. */
  #cut(requests: readonly RpcRequest[], priority: Priority): RpcRequest[][] {
    const room = this.budget.batchRoom(priority)
    const parts: RpcRequest[][] = []
    let last: RpcRequest[] = []
    let left = 0
    for (const request of requests) {
      const cost = this.budget.cost([request])
      if (parts.length === 0 || cost > left || last.length >= this.#batch) {
        last = []
        parts.push(last)
        left = room
      }
      last.push(request)
      left -= cost
    }
    return parts
  }

  /** Learns that an answer had room for so many of a batch's replies. */
  limitBatch(count: number): void {
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

function isRefused(error: unknown): error is EndpointFailure {
  return error instanceof EndpointFailure && error.verdict.kind === 'rate'
}

/** How many questions a batch may have that was refused for its size; null where it was not. */
function batchTaken(error: unknown, requested: number): number | null {
  if (!(error instanceof EndpointFailure) || requested === 1) return null
  const { verdict } = error
  if (verdict.kind !== 'unsupported' || verdict.what !== 'batch') return null
  const half = requested >> 1
  return verdict.most !== undefined && verdict.most < requested ? verdict.most : half
}
