import { DexfeedError } from './dexfeed-error.ts'

/** Statuses after which a request is sent again, which is safe because every request is a read. */
const RETRIABLE = new Set([429, 502, 503, 504])
const FIRST_PAUSE_MS = 250
const HTTP_DATE = /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/

export interface RetryOptions {
  attempts: number
  /** If the server requires a longer pause, the client fails immediately. */
  maxPauseMs: number
  pause: (ms: number, signal: AbortSignal | undefined) => Promise<void>
}

/**
 * Parses `Retry-After`, in seconds or as a date (RFC 9110, section 10.2.3), into milliseconds. Returns null without
 * one.
 */
export function retryAfterMs(header: string | null, now: number): number | null {
  if (header === null) return null
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1_000
  // Date.parse accepts nearly any text.
  const date = HTTP_DATE.test(header) ? Date.parse(header) : Number.NaN
  return Number.isNaN(date) ? null : Math.max(0, date - now)
}

/**
 * Sends a request again while a retry may help, even after a response was cut off. Pauses as long as the server
 * requires; else pauses double, with jitter so that clients do not all return together.
 *
 * @param read rejects with a DexfeedError if the response is a failure
 * @throws DexfeedError; the signal's reason
 */
export async function sendWithRetries<T>(
  { send, read }: { send: () => Promise<Response>; read: (response: Response) => Promise<T> },
  { attempts, maxPauseMs, pause }: RetryOptions,
  signal: AbortSignal | undefined,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    signal?.throwIfAborted()
    let ms = FIRST_PAUSE_MS * 2 ** (attempt - 1) * (0.75 + Math.random() / 2)
    const mayRetry = () => attempt < attempts && ms <= maxPauseMs
    let response: Response | null = null
    try {
      response = await send()
      const isRefused = RETRIABLE.has(response.status)
      if (isRefused) ms = retryAfterMs(response.headers.get('retry-after'), Date.now()) ?? ms
      if (!isRefused || !mayRetry()) return await read(response)
      // An unread body would keep its connection open.
      await response.body?.cancel()
    } catch (error) {
      signal?.throwIfAborted()
      if (error instanceof DexfeedError) throw error
      if (!mayRetry()) throw failureOf(response, error)
    }
    await pause(ms, signal)
  }
}

function failureOf(response: Response | null, cause: unknown): DexfeedError {
  if (response === null) return new DexfeedError('the server does not respond', { status: null, cause })
  const { status, headers } = response
  return new DexfeedError('the response was cut off', { status, requestId: headers.get('x-request-id'), cause })
}

/** @throws the signal's reason */
export function pauseFor(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted()
    const abort = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort)
      resolve()
    }, ms)
    signal?.addEventListener('abort', abort, { once: true })
  })
}
