import { SECOND } from '@dexfeed/dex'
import autocannon from 'autocannon'

export interface Load {
  responses: number
  /** Requests without a response, or with a status other than 2xx. */
  failures: number
  seconds: number
  p50Ms: number
  p99Ms: number
}

export interface LoadPlan {
  path: string | (() => string)
  connections: number
  ms: number
}

/**
 * Each connection has one request in flight.
 *
 * @throws the signal's reason if it aborts
 */
export async function loadServer(url: string, { path, connections, ms }: LoadPlan, signal: AbortSignal): Promise<Load> {
  const times: number[] = []
  const request: autocannon.Request =
    typeof path === 'string' ? { path } : { path: path(), setupRequest: (given) => ({ ...given, path: path() }) }
  const run = autocannon({ url, connections, duration: ms / SECOND, requests: [request] }, () => undefined)
  run.on('response', (_client, _status, _bytes, timeMs) => times.push(timeMs))
  const stop = () => run.stop?.()
  signal.addEventListener('abort', stop)
  const result = await new Promise<autocannon.Result>((resolve) => run.once('done', resolve))
  signal.removeEventListener('abort', stop)
  signal.throwIfAborted()
  const { '2xx': served, non2xx, errors, duration } = result
  return { responses: served + non2xx, failures: non2xx + errors, seconds: duration, ...quantilesOf(times) }
}

export function quantilesOf(times: readonly number[]): { p50Ms: number; p99Ms: number } {
  return { p50Ms: quantileOf(times, 0.5), p99Ms: quantileOf(times, 0.99) }
}

/** Returns the smallest time that this share of times does not exceed; NaN if there are none. */
export function quantileOf(times: readonly number[], share: number): number {
  return times.toSorted((a, b) => a - b)[Math.ceil(share * times.length) - 1] ?? Number.NaN
}

export function inTurn(paths: readonly string[]): () => string {
  let next = 0
  return () => paths[next++ % paths.length] ?? '/'
}
