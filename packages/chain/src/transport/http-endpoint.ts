import { SECOND } from '@dexfeed/dex'
import { Pool } from 'undici'
import { EndpointFailure } from '../errors/chain-error.ts'
import { classifyRpcError } from '../errors/classify-rpc-error.ts'
import { type RpcReply, type RpcRequest, readReplies, writeRequests } from '../json-rpc/messages.ts'
import { requestedRangeOf } from '../json-rpc/requests.ts'
import { maskText, maskUrl } from './mask-url.ts'
import { type HttpResponse, receiveResponse } from './receive-response.ts'

export interface HttpEndpointOptions {
  url: string
  /** Deadline of a whole request, including the last byte of the body. */
  timeoutMs: number
  maxResponseBytes: number
  connections: number
  /** Called when a connection is lost: the next one may reach another node. */
  onDisconnect: () => void
}

export interface HttpReplies {
  replies: RpcReply[]
  bytes: number
}

export interface HttpEndpoint {
  /** Sends one batch. Throws EndpointFailure unless a complete response came. Errors of replies are returned. */
  post(requests: readonly RpcRequest[], signal: AbortSignal): Promise<HttpReplies>
  close(): Promise<void>
}

/** Opens keep-alive connections to one URL, on the first request. Redirects are not followed. */
export function httpEndpoint(options: HttpEndpointOptions): HttpEndpoint {
  const { url, timeoutMs, maxResponseBytes, connections, onDisconnect } = options
  const { origin, pathname, search, username, password, protocol } = new URL(url)
  const pool = new Pool(origin, {
    connections,
    maxResponseSize: maxResponseBytes,
    keepAliveTimeout: 30 * SECOND,
    connect: { timeout: timeoutMs },
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  pool.on('disconnect', onDisconnect)
  const headers: Record<string, string> = { 'content-type': 'application/json', accept: 'application/json' }
  if (username || password) {
    const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
    headers.authorization = `Basic ${Buffer.from(credentials).toString('base64')}`
  }
  // Compression shrinks a response to a fifth. Between processes of one machine it only costs time.
  if (protocol === 'https:') headers['accept-encoding'] = 'gzip'
  let nextId = 1

  const post: HttpEndpoint['post'] = async (requests, signal) => {
    const firstId = nextId
    nextId += requests.length
    const body = writeRequests(requests, firstId)
    const stop = stopAfter(timeoutMs, signal)
    const failure = describeFailure(url, requests)
    let response: HttpResponse
    try {
      const request = { path: pathname + search, method: 'POST' as const, headers, body, signal: stop.signal }
      response = await receiveResponse(pool, request, maxResponseBytes).catch((error: unknown) => {
        if (!isStaleConnection(error) || stop.signal.aborted) throw error
        return receiveResponse(pool, request, maxResponseBytes)
      })
    } catch (error) {
      throw failure.ofTransport(error, stop.late())
    } finally {
      stop.clear()
    }
    const { statusCode, text, bytes } = response
    const content = readReplies(text, requests.length, firstId)
    if (statusCode === 200 && content.kind === 'replies') return { replies: content.replies, bytes }
    throw failure.ofResponse(response, content)
  }
  return { post, close: () => pool.destroy() }
}

/**
 * Returns a signal that aborts after `ms` or with `outer`, and `clear`, which frees both. `AbortSignal.any` is not
 * used: with a signal as old as the client, Node 20 keeps a record of each forever.
 */
function stopAfter(ms: number, outer: AbortSignal) {
  const controller = new AbortController()
  let late = false
  const abort = (): void => controller.abort()
  const timer = setTimeout(() => {
    late = true
    abort()
  }, ms)
  if (outer.aborted) abort()
  outer.addEventListener('abort', abort, { once: true })
  const clear = (): void => {
    clearTimeout(timer)
    outer.removeEventListener('abort', abort)
  }
  return { signal: controller.signal, late: () => late, clear }
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

/** The server closed an idle connection just as it was reused: the usual keep-alive race, worth one free retry. */
function isStaleConnection(error: unknown): boolean {
  return ['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'].includes(codeOf(error))
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}

/** Parses `Retry-After` (seconds or a date) into milliseconds from now; null if absent or unreadable. */
export function readRetryAfter(header: string | string[] | undefined): number | null {
  if (typeof header !== 'string') return null
  if (/^\d+$/.test(header.trim())) return Number(header) * SECOND
  const date = Date.parse(header)
  return Number.isNaN(date) ? null : Math.max(0, date - Date.now())
}
