import { isAscii } from 'node:buffer'
import type { IncomingHttpHeaders } from 'node:http'
import { Writable } from 'node:stream'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { SECOND } from '@dexfeed/dex'
import { type Dispatcher, Pool } from 'undici'
import { EndpointFailure } from '../errors/chain-error.ts'
import { classifyRpcError } from '../errors/classify-rpc-error.ts'
import { type RpcReply, type RpcRequest, readReplies, requestedRangeOf, writeRequests } from '../json-rpc/messages.ts'
import { maskText, maskUrl } from './mask-url.ts'

export interface HttpEndpointOptions {
  url: string
  timeoutMs: number
  maxResponseBytes: number
  connections: number
  /** Called when a connection ends. The next one may reach another node. */
  onDisconnect: () => void
}

export interface HttpReplies {
  replies: RpcReply[]
  bytes: number
}

export interface HttpEndpoint {
  /**
   * Sends one batch and returns its replies, which may be errors. Throws EndpointFailure unless a complete response
   * arrives.
   */
  post(requests: readonly RpcRequest[], signal: AbortSignal): Promise<HttpReplies>
  close(): Promise<void>
}

/** Opens keep-alive connections to one URL on the first request. Does not follow redirects. */
export function httpEndpoint(options: HttpEndpointOptions): HttpEndpoint {
  const { url, timeoutMs, maxResponseBytes, connections, onDisconnect } = options
  const { origin, path, headers } = targetOf(url)
  const pool = new Pool(origin, {
    connections,
    maxResponseSize: maxResponseBytes,
    keepAliveTimeout: 30 * SECOND,
    connect: { timeout: timeoutMs },
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  pool.on('disconnect', onDisconnect)
  // Compression shrinks a response to a fifth. For a node on the same machine (http) it only costs time.
  if (origin.startsWith('https:')) headers['accept-encoding'] = 'gzip'
  let nextId = 1

  const post: HttpEndpoint['post'] = async (requests, signal) => {
    const firstId = nextId
    nextId += requests.length
    const body = writeRequests(requests, firstId)
    const deadline = openDeadline(timeoutMs, signal)
    const failure = describeFailure(url, requests)
    let response: HttpResponse
    try {
      const request = { path, method: 'POST' as const, headers, body, signal: deadline.signal }
      response = await receiveResponse(pool, request, maxResponseBytes).catch((error: unknown) => {
        if (!isStaleConnection(error) || deadline.signal.aborted) throw error
        return receiveResponse(pool, request, maxResponseBytes)
      })
    } catch (error) {
      throw failure.ofTransport(error, deadline.isOver())
    } finally {
      deadline.end()
    }
    const { statusCode, text, bytes } = response
    const content = readReplies(text, requests.length, firstId)
    if (statusCode === 200 && content.kind === 'replies') return { replies: content.replies, bytes }
    throw failure.ofResponse(response, content)
  }
  return { post, close: () => pool.destroy() }
}

/** Splits a URL for a request. Credentials become a header. */
export function targetOf(url: string): { origin: string; path: string; headers: Record<string, string> } {
  const { origin, pathname, search, username, password } = new URL(url)
  const headers: Record<string, string> = { 'content-type': 'application/json', accept: 'application/json' }
  if (username || password) {
    const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
    headers.authorization = `Basic ${Buffer.from(credentials).toString('base64')}`
  }
  return { origin, path: pathname + search, headers }
}

/**
 * Returns a signal that aborts after `ms`, or with `outer`. Call `end` to free the timer and the listener. With
 * `AbortSignal.any`, Node 20 keeps a record of every such signal as long as `outer` lives.
 */
export function openDeadline(ms: number, outer: AbortSignal) {
  const controller = new AbortController()
  let isOver = false
  let timer: NodeJS.Timeout | undefined
  const abort = (): void => controller.abort(outer.reason)
  const begin = (): void => {
    timer = setTimeout(() => {
      isOver = true
      controller.abort(new Error('no response in time'))
    }, ms)
  }
  const pause = (): void => clearTimeout(timer)
  const end = (): void => {
    pause()
    outer.removeEventListener('abort', abort)
  }
  begin()
  if (outer.aborted) abort()
  outer.addEventListener('abort', abort, { once: true })
  return { signal: controller.signal, isOver: () => isOver, begin, pause, end }
}

function describeFailure(url: string, requests: readonly RpcRequest[]) {
  const endpoint = maskUrl(url)
  const first = requests[0]
  const method = first ? first.method : 'nothing'
  const requestedRange = requestedRangeOf(requests)

  return {
    ofTransport: (error: unknown, late: boolean): EndpointFailure => {
      const code = codeOf(error)
      if (code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE' || code === 'ERR_BUFFER_TOO_LARGE') {
        const verdict = classifyRpcError({ httpStatus: 413, requestedRange })
        return new EndpointFailure({ endpoint, method, verdict, detail: 'the response is over the size limit' })
      }
      if (late) {
        const verdict = classifyRpcError({ message: 'timeout', requestedRange })
        return new EndpointFailure({ endpoint, method, verdict, detail: 'no complete response in time', down: true })
      }
      const detail = maskText(error instanceof Error ? error.message || code : String(error), url)
      return new EndpointFailure({ endpoint, method, verdict: { kind: 'other' }, detail, down: true, cause: error })
    },
    ofResponse: (
      { statusCode, headers, text }: HttpResponse,
      content: ReturnType<typeof readReplies>,
    ): EndpointFailure => {
      const inside =
        content.kind === 'error' ? content.error : content.kind === 'replies' ? firstError(content.replies) : null
      const message = inside
        ? inside.message
        : content.kind === 'malformed' && statusCode === 200
          ? text.slice(0, 20)
          : text
      const { code, data } = inside ?? { code: null, data: null }
      const verdict =
        content.kind === 'error' && requests.length > 1 && code === -32600 && /invalid request/i.test(message)
          ? ({ kind: 'unsupported', what: 'batch' } as const)
          : classifyRpcError({ httpStatus: statusCode, code, message: message.slice(0, 2000), data, requestedRange })
      const what =
        content.kind === 'malformed' && statusCode === 200 ? content.what : maskText(message.slice(0, 2000), url)
      const detail = `HTTP ${statusCode}${code === null ? '' : `, code ${code}`}: ${what}`
      const retryAfterMs = readRetryAfter(headers['retry-after'])
      return new EndpointFailure({ endpoint, method, verdict, detail, retryAfterMs, down: statusCode >= 500, code })
    },
  }
}

function firstError(replies: readonly RpcReply[]) {
  for (const reply of replies) if ('error' in reply) return reply.error
  return null
}

/** Whether the server may have closed an idle connection just as it was reused. Such a request gets one free retry. */
function isStaleConnection(error: unknown): boolean {
  return ['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'].includes(codeOf(error))
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}

export function readRetryAfter(header: string | string[] | undefined): number | null {
  if (typeof header !== 'string') return null
  if (/^\d+$/.test(header.trim())) return Number(header) * SECOND
  const date = Date.parse(header)
  return Number.isNaN(date) ? null : Math.max(0, date - Date.now())
}

const inflate = promisify(gunzip)

const MIN_BYTES = 64 * 1024
/** Larger buffers are not kept, because such responses are rare. */
const MAX_KEPT_BYTES = 16 * 1024 * 1024
const MAX_KEPT = 6

/**
 * Reuses buffers, because Node counts external memory by its size alone: new buffers would make the garbage collector
 * scan the whole heap for every 64 MB.
 */
export class BodyBuffers {
  readonly #free: Buffer[] = []

  take(bytes: number): Buffer {
    const place = this.#free.findIndex(({ length }) => length >= bytes)
    const [found] = place < 0 ? [] : this.#free.splice(place, 1)
    return found ?? Buffer.allocUnsafeSlow(Math.max(MIN_BYTES, 2 ** Math.ceil(Math.log2(bytes))))
  }

  put(buffer: Buffer): void {
    if (buffer.length > MAX_KEPT_BYTES) return
    this.#free.push(buffer)
    this.#free.sort((a, b) => a.length - b.length)
    if (this.#free.length > MAX_KEPT) this.#free.shift()
  }
}

/** Limits the first buffer, because `content-length` may be wrong. */
const MAX_EXPECTED_BYTES = 16 * 1024 * 1024

export interface HttpResponse {
  statusCode: number
  headers: IncomingHttpHeaders
  text: string
  /** Size on the wire. */
  bytes: number
}

const BUFFERS = new BodyBuffers()

/**
 * Receives a response. The pool limits its size on the wire, `maxInflated` its size after decompression.
 *
 * @throws errors of undici and zlib
 */
export async function receiveResponse(
  pool: Pick<Dispatcher, 'stream'>,
  request: Dispatcher.RequestOptions,
  maxInflated: number,
): Promise<HttpResponse> {
  const body = new ResponseBody()
  try {
    await pool.stream(request, (head) => body.begin(head))
    const { statusCode, headers, content } = body
    const isPacked = headers['content-encoding'] === 'gzip'
    const text = decodeText(isPacked ? await inflate(content, { maxOutputLength: maxInflated }) : content)
    return { statusCode, headers, text, bytes: content.length }
  } finally {
    body.release()
  }
}

class ResponseBody extends Writable {
  statusCode = 0
  headers: IncomingHttpHeaders = {}
  #buffer: Buffer | null = null
  #length = 0

  constructor() {
    // No caller waits for a write, so there is no backpressure.
    super({ highWaterMark: Number.MAX_SAFE_INTEGER })
  }

  begin({ statusCode, headers }: Pick<HttpResponse, 'statusCode' | 'headers'>): this {
    this.statusCode = statusCode
    this.headers = headers
    const expected = Number(headers['content-length'])
    this.#buffer = BUFFERS.take(expected > 0 ? Math.min(expected, MAX_EXPECTED_BYTES) : 0)
    return this
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    const length = this.#length + chunk.length
    chunk.copy(this.#roomFor(length), this.#length)
    this.#length = length
    done()
  }

  /** Valid until `release`. */
  get content(): Buffer {
    return this.#buffer?.subarray(0, this.#length) ?? Buffer.alloc(0)
  }

  release(): void {
    if (this.#buffer !== null) BUFFERS.put(this.#buffer)
    this.#buffer = null
    this.#length = 0
    this.destroy()
  }

  #roomFor(length: number): Buffer {
    const buffer = this.#buffer
    if (buffer !== null && length <= buffer.length) return buffer
    const larger = BUFFERS.take(length)
    if (buffer !== null) {
      buffer.copy(larger, 0, 0, this.#length)
      BUFFERS.put(buffer)
    }
    this.#buffer = larger
    return larger
  }
}

/** Almost every response is ASCII, which needs no decoding. */
export function decodeText(bytes: Buffer): string {
  return isAscii(bytes) ? bytes.toString('latin1') : bytes.toString('utf8')
}
