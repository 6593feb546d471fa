import { isAscii } from 'node:buffer'
import type { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { SECOND } from '@dexfeed/dex'
import { type Dispatcher, Pool } from 'undici'
import type { Clock } from '../../clock.ts'
import { ChainError } from '../../errors/chain-error.ts'
import { readRetryAfter } from '../../transport/http-endpoint.ts'
import { maskText, maskUrl } from '../../transport/mask-url.ts'
import { RequestPace } from './request-pace.ts'

/** The archive did not return blocks. A retry does not help if `isLasting`. */
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
  /** URL of the data set: `https://…/datasets/…`. */
  url: string
  /** Sent as a bearer token. */
  key: string | null
  /** A response without a new line for this long is dropped. */
  idleMs?: number
  /** Bytes of lines that are read in one turn of bulk work. */
  turnBytes?: number
  clock: Clock
  closed: AbortSignal
}

const IDLE_MS = 40 * SECOND
/** Bytes that are decompressed in one step. Each step has a fixed cost; Node's default is 16 KiB. */
const GUNZIP_BYTES = 2 ** 18
/** Longest line that can be a block; beyond it, the response is something else. */
const LONGEST_LINE = 64 * 1024 * 1024
/** Characters of a refusal's text that are kept. */
const LONGEST_REASON = 200
/** A retry does not help: refused query, key or plan, or a missing data set. */
const LASTING = new Set([400, 401, 402, 403, 404, 413])

/** Streams finalized blocks of one data set from a Portal of the SQD network: JSON, one block per line. */
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
   * Yields the lines of one response, which may not be JSON. It may end anywhere without notice; an incomplete last
   * line is left out. @throws ArchiveFailure
   */
  async *lines(query: object, closed: AbortSignal): AsyncGenerator<string, void> {
    await this.#pace.wait(closed)
    if (closed.aborted) throw new ArchiveFailure(`${this.masked}: closed`)
    // A stream of single bytes is never silent, but never completes a line.
    const deadline = new LineDeadline(this.#idleMs, closed)
    try {
      const response = await this.#request(query, deadline.signal)
      for await (const line of this.#linesOf(response, closed)) {
        deadline.pause()
        yield line
        deadline.begin()
      }
    } finally {
      deadline.end()
    }
  }

  async *#linesOf(response: Dispatcher.ResponseData, closed: AbortSignal): AsyncGenerator<string, void> {
    let rest: Buffer[] = []
    let length = 0
    try {
      for await (const chunk of plain(response)) {
        let start = 0
        for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
          const line = textOf([...rest, chunk.subarray(start, end)])
          ;[rest, length, start] = [[], 0, end + 1]
          if (line !== '') yield line
        }
        rest.push(chunk.subarray(start))
        length += chunk.length - start
        if (length > LONGEST_LINE) throw new ArchiveFailure(`${this.masked}: a block without end`)
      }
    } catch (error) {
      if (error instanceof ChainError) throw error
      // The lines before are complete, so the caller continues after them.
      if (closed.aborted) throw new ArchiveFailure(`${this.masked}: closed`)
      return
    } finally {
      response.body.destroy()
    }
    const last = textOf(rest)
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
      response = await this.#pool.request({
        path: this.#path,
        method: 'POST',
        headers,
        body: JSON.stringify(query),
        signal,
      })
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

/** Aborts a stream whose next line takes too long, counted from the request, or that is closed. */
class LineDeadline {
  readonly #late = new AbortController()
  readonly #ms: number
  readonly #closed: AbortSignal
  readonly #close = () => this.#late.abort(this.#closed.reason)
  #timer: NodeJS.Timeout | undefined

  constructor(ms: number, closed: AbortSignal) {
    this.#ms = ms
    this.#closed = closed
    closed.addEventListener('abort', this.#close, { once: true })
    this.begin()
  }

  get signal(): AbortSignal {
    return this.#late.signal
  }

  begin(): void {
    this.#timer = setTimeout(() => this.#late.abort(new Error('no line in time')), this.#ms)
  }

  /** Stops the clock while the caller processes a line. */
  pause(): void {
    clearTimeout(this.#timer)
  }

  end(): void {
    this.pause()
    this.#closed.removeEventListener('abort', this.#close)
  }
}

/** Decodes and trims a line. A block is ASCII, which needs no decoding. */
function textOf(parts: readonly Buffer[]): string {
  const bytes = Buffer.concat(parts)
  return (isAscii(bytes) ? bytes.toString('latin1') : bytes.toString('utf8')).trim()
}

/** Whether the line is complete, not cut by a lost connection. */
function isWhole(line: string): boolean {
  try {
    JSON.parse(line)
    return true
  } catch {
    return false
  }
}

/** Returns the start of a refusal's body, which may be endless. */
async function beginningOf(body: Dispatcher.ResponseData['body']): Promise<string> {
  let text = ''
  try {
    for await (const chunk of body) {
      text += String(chunk)
      if (text.length >= LONGEST_REASON) break
    }
  } catch {
    // The status code is enough.
  }
  return text.slice(0, LONGEST_REASON)
}

/** Returns the decompressed body. */
function plain({ body, headers }: Dispatcher.ResponseData): AsyncIterable<Buffer> {
  if (headers['content-encoding'] !== 'gzip') return body
  const gunzip = createGunzip({ chunkSize: GUNZIP_BYTES })
  // An error of the body ends the reader, too.
  ;(body as Readable).on('error', (error) => gunzip.destroy(error))
  return body.pipe(gunzip)
}
