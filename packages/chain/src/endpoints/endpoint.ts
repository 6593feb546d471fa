import { MINUTE } from '@dexfeed/dex'
import { type ChainError, EndpointFailure } from '../errors/chain-error.ts'
import { classifyRpcError } from '../errors/classify-rpc-error.ts'
import { type RpcReply, type RpcRequest, requestedRangeOf } from '../json-rpc/messages.ts'
import type { HttpEndpoint, HttpReplies } from '../transport/http-endpoint.ts'
import { maskText, maskUrl } from '../transport/mask-url.ts'
import { LogRange } from './log-range.ts'
import type { Budget } from './request-budget.ts'
import { type Priority, RequestGate } from './request-gate.ts'

const BATCH = 100
const FIRST_BLOCKS_PER_BATCH = 5
/** How often bulk work that was refused for its rate is sent again before another endpoint is used. */
const REFUSALS = 5
const LONGEST_WAIT = MINUTE / 2

export interface RequestReport {
  /** Masked URL. */
  endpoint: string
  priority: Priority
  items: number
  refused: number
  failed: number
  waitedMs: number
  /** In items or compute units; null while no limit is known. */
  budgetPerS: number | null
}

export interface EndpointOptions {
  url: string
  slots: number
  budget: Budget
  onRequest: (report: RequestReport) => void
  bulkTurn: () => Promise<void>
  openHttp: (onDisconnect: () => void) => HttpEndpoint
}

/** One RPC endpoint and what was learned about it. Times are in milliseconds of the clock. */
export class Endpoint {
  readonly url: string
  /** Includes the port. */
  readonly host: string
  readonly masked: string
  readonly budget: Budget
  readonly bulkTurn: () => Promise<void>
  readonly topicRange = new LogRange()
  readonly addressRange = new LogRange(2000)
  chain: 'unchecked' | 'right' | 'wrong' = 'unchecked'
  /** Send nothing before this time. */
  coolUntil = 0
  /** Send no bulk work before this time, whatever the budget allows. */
  bulkFrom = 0
  failures = 0
  lastError: ChainError | null = null
  blocksPerBatch = FIRST_BLOCKS_PER_BATCH
  /** Blocks of the largest batch that arrives in time. Grows back by fractions of a block. */
  timelyBlocks = Number.POSITIVE_INFINITY
  /** Whether history takes fewer requests as whole blocks than as logs and receipts. */
  hasDenseBlocks = false
  provesFrom = 0
  /** Number of further blocks whose transactions are checked, because the endpoint reported some falsely. */
  doubtedBlocks = 0
  callsByHash = true
  /** Hashes of blocks at which the endpoint refused init code, since it last ran some. */
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

  readyAt(priority: Priority): number {
    return priority === 'live' ? this.coolUntil : Math.max(this.coolUntil, this.bulkFrom, this.budget.bulkFrom)
  }

  /**
   * Sends requests in as many batches as the endpoint and its budget require. A reply may be an error. Bulk requests
   * that were refused for their rate wait and are sent again, in smaller batches.
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
      const maxBatch = batchTaken(error, requests.length)
      if (maxBatch !== null) this.#batch = Math.min(this.#batch, maxBatch)
      else if (!isRefused(error) || !this.#mayWait(priority, refusals) || signal.aborted) throw error
      return this.#send(requests, priority, signal, refusals + (maxBatch === null ? 1 : 0))
    }
  }

  async #post(
    requests: readonly RpcRequest[],
    priority: Priority,
    signal: AbortSignal,
    refusals: number,
  ): Promise<HttpReplies> {
    if (priority === 'bulk') await this.bulkTurn()
    const spending = await this.budget.take(priority, this.budget.cost(requests), signal)
    const report = (refused: number, failed: number) =>
      this.#onRequest({
        endpoint: this.masked,
        priority,
        items: requests.length,
        refused,
        failed,
        waitedMs: spending.waitedMs,
        budgetPerS: this.budget.state().perS,
      })
    const refuse = (refused: number, retryAfterMs: number | null) => {
      report(refused, 0)
      if (this.budget.refused(priority, spending, retryAfterMs)) this.#gate.slowDown()
    }
    let response: HttpReplies
    try {
      response = await this.#gate.run(priority, () => this.#http.post(requests, signal))
    } catch (error) {
      if (isRefused(error)) refuse(requests.length, error.retryAfterMs)
      else report(0, signal.aborted ? 0 : requests.length)
      throw error
    }
    const places = requests.flatMap((request, i) => (this.#refuses(request, response.replies[i]) ? [i] : []))
    if (places.length === 0) {
      report(0, 0)
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

  #mayWait(priority: Priority, refusals: number): boolean {
    return priority === 'bulk' && refusals < REFUSALS && this.budget.bulkPauseMs() <= LONGEST_WAIT
  }

  /** Cuts requests into batches that the budget allows. A single request is always allowed, whatever it costs. */
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

  limitBatch(count: number): void {
    this.#batch = Math.min(this.#batch, Math.max(1, count))
  }

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

function batchTaken(error: unknown, requested: number): number | null {
  if (!(error instanceof EndpointFailure) || requested === 1) return null
  const { verdict } = error
  if (verdict.kind !== 'unsupported' || verdict.what !== 'batch') return null
  const half = requested >> 1
  return verdict.maxItems !== undefined && verdict.maxItems < requested ? verdict.maxItems : half
}
