import { setTimeout as delay } from 'node:timers/promises'
import { SECOND } from '@dexfeed/dex'
import { Pool } from 'undici'
import { classifyRpcError } from '../errors/classify-rpc-error.ts'
import { type RpcBody, type RpcRequest, readReplies, writeRequests } from '../json-rpc/messages.ts'
import { requestedRangeOf } from '../json-rpc/requests.ts'
import { readRetryAfter } from '../transport/http-endpoint.ts'
import { maskText } from '../transport/mask-url.ts'
import { type HttpResponse, receiveResponse } from '../transport/receive-response.ts'
import { isRateLimited, type Outcome } from './outcome.ts'

export interface SurveyLineOptions {
  url: string
  /** Milliseconds since 1970, by the clock of this machine. */
  now: () => number
  /** Pause between two requests, milliseconds. */
  pauseMs: number
  /** Ends all requests. */
  signal: AbortSignal
}

const REQUEST_MS = 8 * SECOND
const MOST_BYTES = 32 * 1024 * 1024
/** A request that is refused for its rate is sent again, this many times in all. */
const ATTEMPTS = 4
const REST_MS = 1.2 * SECOND
const LEAST_WAIT_MS = SECOND
const LONGEST_WAIT_MS = 5 * SECOND

/** Sends requests to one endpoint, slowly and without the endpoint pool's repairs. It reports each response as it was. */
export class SurveyLine {
  /** Items sent. */
  sent = 0
  /** This machine's clock less the endpoint's, by the HTTP header `Date`, for each response that has one. */
  readonly offsetsMs: number[] = []
  readonly #options: SurveyLineOptions
  readonly #pool: Pool
  readonly #path: string
  readonly #headers: Record<string, string> = { 'content-type': 'application/json', accept: 'application/json' }

  constructor(options: SurveyLineOptions) {
    this.#options = options
    const { origin, pathname, search, username, password } = new URL(options.url)
    this.#path = pathname + search
    if (username || password) {
      const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
      this.#headers.authorization = `Basic ${Buffer.from(credentials).toString('base64')}`
    }
    this.#pool = new Pool(origin, { maxResponseSize: MOST_BYTES, connect: { timeout: REQUEST_MS } })
  }

  /** Sends one request. Waits and repeats it if it is refused for its rate. */
  async request(method: string, ...params: readonly unknown[]): Promise<Outcome> {
    const [outcome] = await this.batch([{ method, params }])
    return outcome ?? { kind: 'down', what: 'no reply' }
  }

  /** Sends requests as one message. Waits and repeats it if all of it is refused for its rate. */
  async batch(requests: readonly RpcRequest[]): Promise<Outcome[]> {
    for (let attempt = 1; ; attempt++) {
      await this.#pause(this.#options.pauseMs)
      const { outcomes, retryAfterMs } = await this.send(requests)
      if (attempt === ATTEMPTS || this.#options.signal.aborted || !outcomes.every(isRateLimited)) return outcomes
      await this.#pause(Math.min(LONGEST_WAIT_MS, Math.max(LEAST_WAIT_MS, retryAfterMs ?? LEAST_WAIT_MS)))
    }
  }

  /** Sends requests as one message, once and immediately. */
  async send(requests: readonly RpcRequest[]): Promise<{ outcomes: Outcome[]; retryAfterMs: number | null }> {
    const { now, signal, url } = this.#options
    const firstId = this.sent + 1
    this.sent += requests.length
    const all = (outcome: Outcome) => requests.map(() => outcome)
    const sentAt = now()
    const ends = AbortSignal.any([AbortSignal.timeout(REQUEST_MS), signal])
    const body = writeRequests(requests, firstId)
    const request = { path: this.#path, method: 'POST' as const, headers: this.#headers, body, signal: ends }
    let response: HttpResponse
    try {
      response = await receiveResponse(this.#pool, request, MOST_BYTES)
    } catch (error) {
      const what = ends.aborted ? `no response in ${REQUEST_MS / SECOND} s` : maskText(reasonOf(error), url)
      return { outcomes: all({ kind: 'down', what }), retryAfterMs: null }
    }
    const date = Date.parse(String(response.headers.date))
    // The header has whole seconds, and was made between sending and receiving.
    if (!Number.isNaN(date)) this.offsetsMs.push((sentAt + now()) / 2 - (date + SECOND / 2))
    const retryAfterMs = readRetryAfter(response.headers['retry-after'])
    return {
      outcomes: this.#read(response, requests, readReplies(response.text, requests.length, firstId)),
      retryAfterMs,
    }
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

  /** Waits until a limit per second has nothing left to count. */
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

/** What errors of connections mean. */
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
