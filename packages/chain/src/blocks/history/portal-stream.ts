import type { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { MINUTE, SECOND } from '@dexfeed/dex'
import { type Dispatcher, Pool } from 'undici'
import type { Clock } from '../../clock.ts'
import { ChainError } from '../../errors/chain-error.ts'
import { decodeText, openDeadline, readRetryAfter } from '../../transport/http-endpoint.ts'
import { maskText, maskUrl } from '../../transport/mask-url.ts'

/** The archive failed to return blocks. If `isLasting`, a retry does not help. */
export class ArchiveFailure extends ChainError {
  override readonly name = 'ArchiveFailure'
  readonly isLasting: boolean
  readonly retryAfterMs: number | null

  constructor(
    message: string,
    { isLasting = false, retryAfterMs = null as number | null, cause = undefined as unknown } = {},
  ) {
    super(message, { retryable: !isLasting, cause })
    this.isLasting = isLasting
    this.retryAfterMs = retryAfterMs
  }
}

export interface PortalOptions {
  url: string
  key: string | null
  idleMs?: number
  clock: Clock
  closed: AbortSignal
}

const IDLE_MS = 40 * SECOND
/** Output bytes per gunzip step. Each step has a fixed cost, and Node's default is only 16 KiB. */
const GUNZIP_BYTES = 2 ** 18
/** A longer line cannot be a block. */
const LONGEST_LINE = 64 * 1024 * 1024
const LONGEST_REASON = 200
/** HTTP statuses for a rejected query, key or plan, or a missing data set. */
const LASTING = new Set([400, 401, 402, 403, 404, 413])

/** Streams finalized blocks from an SQD Network Portal, as JSON with one block per line. */
export class PortalStream {
  readonly masked: string
  readonly #options: PortalOptions
  readonly #pool: Pool
  readonly #path: string
  readonly #idleMs: number
  readonly #pace: RequestPace

  constructor(options: PortalOptions) {
    const { origin, pathname } = new URL(options.url)
    this.masked = maskUrl(options.url)
    this.#options = options
    this.#path = `${pathname.replace(/\/$/, '')}/finalized-stream`
    this.#idleMs = options.idleMs ?? IDLE_MS
    this.#pool = new Pool(origin, {
      connections: 4,
      headersTimeout: this.#idleMs,
      bodyTimeout: this.#idleMs,
      connect: { timeout: 10 * SECOND },
    })
    this.#pace = RequestPace.of(origin, options.clock)
  }

  /**
   * Yields the lines of a response, one block each. A lost connection ends them without an error.
   *
   * @throws ArchiveFailure if the request fails, or if a line does not end
   */
  async *lines(query: object): AsyncGenerator<string, void> {
    const { closed } = this.#options
    await this.#pace.wait(closed)
    if (closed.aborted) throw new ArchiveFailure(`${this.masked}: closed`)
    // undici's body timeout restarts at every byte, so each line also has a deadline.
    const deadline = openDeadline(this.#idleMs, closed)
    try {
      const response = await this.#request(query, deadline.signal)
      for await (const line of this.#linesOf(response)) {
        deadline.pause()
        yield line
        deadline.begin()
      }
    } finally {
      deadline.end()
    }
  }

  async *#linesOf(response: Dispatcher.ResponseData): AsyncGenerator<string, void> {
    let rest: Buffer[] = []
    let length = 0
    try {
      for await (const chunk of plain(response)) {
        let start = 0
        for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
          const line = decodeText(Buffer.concat([...rest, chunk.subarray(start, end)])).trim()
          rest = []
          length = 0
          start = end + 1
          if (line !== '') yield line
        }
        rest.push(chunk.subarray(start))
        length += chunk.length - start
        if (length > LONGEST_LINE) throw new ArchiveFailure(`${this.masked}: a block without end`)
      }
    } catch (error) {
      if (error instanceof ChainError) throw error
      if (this.#options.closed.aborted) throw new ArchiveFailure(`${this.masked}: closed`)
      return
    } finally {
      response.body.destroy()
    }
    const last = decodeText(Buffer.concat(rest)).trim()
    if (isWhole(last)) yield last
  }

  close(): Promise<void> {
    return this.#pool.destroy()
  }

  async #request(query: object, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
    const { key } = this.#options
    const headers: Record<string, string> = { 'content-type': 'application/json', 'accept-encoding': 'gzip' }
    if (key !== null) headers.authorization = `Bearer ${key}`
    let response: Dispatcher.ResponseData
    try {
      const body = JSON.stringify(query)
      response = await this.#pool.request({ path: this.#path, method: 'POST', headers, body, signal })
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      throw new ArchiveFailure(`${this.masked}: ${this.#maskText(reason)}`, { cause: error })
    }
    if (response.statusCode === 200) return response
    throw this.#refusal(response, await beginningOf(response.body))
  }

  #maskText(text: string): string {
    return maskText(text, this.#options.url, this.#options.key)
  }

  #refusal({ statusCode, headers }: Dispatcher.ResponseData, text: string): ArchiveFailure {
    const retryAfterMs = readRetryAfter(headers['retry-after'])
    if (statusCode === 429 || statusCode === 529) this.#pace.slowDown(retryAfterMs)
    const said = this.#maskText(text)
    const message = statusCode === 204 ? 'does not have these blocks yet' : `HTTP ${statusCode} ${said}`.trim()
    return new ArchiveFailure(`${this.masked}: ${message}`, { isLasting: LASTING.has(statusCode), retryAfterMs })
  }
}

function isWhole(line: string): boolean {
  try {
    JSON.parse(line)
    return true
  } catch {
    return false
  }
}

async function beginningOf(body: Dispatcher.ResponseData['body']): Promise<string> {
  let text = ''
  try {
    for await (const chunk of body) {
      text += String(chunk)
      if (text.length >= LONGEST_REASON) break
    }
  } catch {
    // The error then reports only the status code.
  }
  return text.slice(0, LONGEST_REASON)
}

function plain({ body, headers }: Dispatcher.ResponseData): AsyncIterable<Buffer> {
  if (headers['content-encoding'] !== 'gzip') return body
  const gunzip = createGunzip({ chunkSize: GUNZIP_BYTES })
  // `pipe` does not forward errors.
  ;(body as Readable).on('error', (error) => gunzip.destroy(error))
  return body.pipe(gunzip)
}

/** A free Portal allows 20 requests per 10 seconds, across all data sets. */
const MIN_PAUSE_MS = SECOND / 2
const LONGEST_PAUSE_MS = MINUTE

class RequestPace {
  static readonly #hosts = new Map<string, RequestPace>()
  readonly #clock: Clock
  #next = Number.NEGATIVE_INFINITY
  #pauseMs = MIN_PAUSE_MS

  constructor(clock: Clock) {
    this.#clock = clock
  }

  static of(origin: string, clock: Clock): RequestPace {
    const pace = RequestPace.#hosts.get(origin) ?? new RequestPace(clock)
    RequestPace.#hosts.set(origin, pace)
    return pace
  }

  async wait(signal: AbortSignal): Promise<void> {
    const now = this.#clock.now()
    const turn = Math.max(now, this.#next)
    this.#next = turn + this.#pauseMs
    this.#pauseMs = Math.max(MIN_PAUSE_MS, this.#pauseMs * 0.95)
    if (turn > now) await this.#clock.sleep(turn - now, signal)
  }

  slowDown(retryAfterMs: number | null): void {
    this.#pauseMs = Math.min(LONGEST_PAUSE_MS, this.#pauseMs * 2)
    const pause = Math.min(LONGEST_PAUSE_MS, retryAfterMs ?? this.#pauseMs)
    this.#next = Math.max(this.#next, this.#clock.now() + pause)
  }
}
