import { setTimeout as delay } from 'node:timers/promises'
import { type Hex, SECOND } from '@dexfeed/dex'
import { Pool } from 'undici'
import { classifyRpcError, type RpcVerdict } from '../errors/classify-rpc-error.ts'
import { type RpcBody, type RpcRequest, readReplies, requestedRangeOf, writeRequests } from '../json-rpc/messages.ts'
import { readArray } from '../json-rpc/rpc-value.ts'
import { type HttpResponse, readRetryAfter, receiveResponse, targetOf } from '../transport/http-endpoint.ts'
import { maskText } from '../transport/mask-url.ts'

export interface SurveyLineOptions {
  url: string
  now: () => number
  pauseMs: number
  signal: AbortSignal
}

const REQUEST_MS = 8 * SECOND
const MAX_BYTES = 32 * 1024 * 1024
const ATTEMPTS = 4
const REST_MS = 1.2 * SECOND
const MIN_WAIT_MS = SECOND
const LONGEST_WAIT_MS = 5 * SECOND

export class SurveyLine {
  sent = 0
  readonly offsetsMs: number[] = []
  readonly #options: SurveyLineOptions
  readonly #pool: Pool
  readonly #target: ReturnType<typeof targetOf>

  constructor(options: SurveyLineOptions) {
    this.#options = options
    this.#target = targetOf(options.url)
    this.#pool = new Pool(this.#target.origin, { maxResponseSize: MAX_BYTES, connect: { timeout: REQUEST_MS } })
  }

  async request(method: string, ...params: readonly unknown[]): Promise<Outcome> {
    const [outcome] = await this.batch([{ method, params }])
    return outcome ?? { kind: 'down', what: 'no reply' }
  }

  async batch(requests: readonly RpcRequest[]): Promise<Outcome[]> {
    for (let attempt = 1; ; attempt++) {
      await this.#pause(this.#options.pauseMs)
      const { outcomes, retryAfterMs } = await this.send(requests)
      if (attempt === ATTEMPTS || this.#options.signal.aborted || !outcomes.every(isRateLimited)) return outcomes
      await this.#pause(Math.min(LONGEST_WAIT_MS, Math.max(MIN_WAIT_MS, retryAfterMs ?? MIN_WAIT_MS)))
    }
  }

  async send(requests: readonly RpcRequest[]): Promise<{ outcomes: Outcome[]; retryAfterMs: number | null }> {
    const { now, signal, url } = this.#options
    const firstId = this.sent + 1
    this.sent += requests.length
    const all = (outcome: Outcome) => requests.map(() => outcome)
    const sentAt = now()
    const ends = AbortSignal.any([AbortSignal.timeout(REQUEST_MS), signal])
    const body = writeRequests(requests, firstId)
    const { path, headers } = this.#target
    const request = { path, method: 'POST' as const, headers, body, signal: ends }
    let response: HttpResponse
    try {
      response = await receiveResponse(this.#pool, request, MAX_BYTES)
    } catch (error) {
      const what = ends.aborted ? `no response in ${REQUEST_MS / SECOND} s` : maskText(reasonOf(error), url)
      return { outcomes: all({ kind: 'down', what }), retryAfterMs: null }
    }
    const date = Date.parse(String(response.headers.date))
    // The header has whole seconds and was written between sending and receiving, so compare the midpoints.
    if (!Number.isNaN(date)) this.offsetsMs.push((sentAt + now()) / 2 - (date + SECOND / 2))
    const outcomes = this.#read(response, requests, readReplies(response.text, requests.length, firstId))
    return { outcomes, retryAfterMs: readRetryAfter(response.headers['retry-after']) }
  }

  #read({ statusCode, text }: HttpResponse, requests: readonly RpcRequest[], body: RpcBody): Outcome[] {
    const requestedRange = requestedRangeOf(requests)
    const errorOf = ({ code, message, data }: { code: number | null; message: string; data: unknown }): Outcome => {
      const verdict = classifyRpcError({ httpStatus: statusCode, code, message, data, requestedRange })
      return { kind: 'error', verdict, what: maskText(message || `code ${code}`, this.#options.url) }
    }
    if (body.kind === 'replies')
      return body.replies.map((reply) => ('error' in reply ? errorOf(reply.error) : { kind: 'result', ...reply }))
    const all = (outcome: Outcome) => requests.map(() => outcome)
    if (body.kind === 'error') return all(errorOf(body.error))
    if (statusCode === 429) {
      return all({ kind: 'error', verdict: { kind: 'rate' }, what: 'HTTP 429, too many requests' })
    }
    const isPage = text.trimStart().startsWith('<')
    const what = isPage
      ? 'an HTML page instead of JSON'
      : statusCode === 200
        ? body.what
        : maskText(text, this.#options.url)
    return all({ kind: 'down', what: `HTTP ${statusCode}, ${what || 'without a body'}` })
  }

  rest(): Promise<void> {
    return this.#pause(REST_MS)
  }

  async #pause(ms: number): Promise<void> {
    await delay(ms, undefined, { signal: this.#options.signal }).catch(() => undefined)
  }

  close(): Promise<void> {
    return this.#pool.destroy()
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was reset',
  ENOTFOUND: 'the name of the host is unknown',
  EAI_AGAIN: 'the name of the host cannot be looked up',
  UND_ERR_CONNECT_TIMEOUT: 'no connection in time',
  UND_ERR_RES_EXCEEDED_MAX_SIZE: 'a response that is too large',
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const code = 'code' in error ? String(error.code) : ''
  return REASONS[code] ?? (error.message || code)
}

export type Outcome =
  | { kind: 'result'; result: unknown }
  | { kind: 'error'; verdict: RpcVerdict; what: string }
  | { kind: 'down'; what: string }

export interface SurveyedBlock {
  number: number
  hash: Hex
  timestamp: number
}

export function isRateLimited(outcome: Outcome): boolean {
  return outcome.kind === 'error' && outcome.verdict.kind === 'rate'
}

export function blockOf(outcome: Outcome): SurveyedBlock | null {
  if (outcome.kind !== 'result' || typeof outcome.result !== 'object' || outcome.result === null) return null
  const { number, hash, timestamp } = outcome.result as Partial<Record<keyof SurveyedBlock, unknown>>
  const block = { number: Number(number), hash: hash as Hex, timestamp: Number(timestamp) }
  const isWhole = Number.isSafeInteger(block.number) && Number.isSafeInteger(block.timestamp)
  return isWhole && typeof hash === 'string' ? block : null
}

export function quantityOf(outcome: Outcome): number | null {
  const number = outcome.kind === 'result' && typeof outcome.result === 'string' ? Number(outcome.result) : Number.NaN
  return Number.isSafeInteger(number) ? number : null
}

export function listOf(outcome: Outcome): readonly unknown[] | null {
  if (outcome.kind !== 'result') return null
  try {
    return readArray(outcome.result, 'result')
  } catch {
    return null
  }
}

export function whyNot(outcome: Outcome): string {
  if (outcome.kind !== 'result') return outcome.what
  return outcome.result === null ? 'it has no such block' : 'a result that cannot be read'
}
