import type { ChainLog } from '../chain-log.ts'
import type { Clock } from '../clock.ts'
import { ChainError, WrongChainId } from '../errors/chain-error.ts'
import { EndpointFailure } from '../errors/endpoint-failure.ts'
import type { Endpoint } from './endpoint.ts'

/** Draws the consequences of failures and successes for an endpoint's further use. */
export interface EndpointHealth {
  good(endpoint: Endpoint): void
  failed(endpoint: Endpoint, error: ChainError): void
  /** Why the endpoint is set aside, or does not serve the method; null for no reason. */
  trouble(endpoint: Endpoint, method: string | undefined): ChainError | null
  /** Whether the endpoint is known not to serve the method. */
  unable(endpoint: Endpoint, method: string | undefined): boolean
}

const SECOND = 1000
const MINUTE = 60 * SECOND
const FIRST_COOL_DOWN = 250
const LONGEST_COOL_DOWN = 10 * SECOND
const FIRST_RATE_COOL_DOWN = SECOND
const LONGEST_RATE_COOL_DOWN = MINUTE
/** A `Retry-After` is obeyed up to this. */
const LONGEST_RETRY_AFTER = 10 * MINUTE
/** A wrong key or a wrong chain is mended by people. */
const DEAD_COOL_DOWN = MINUTE
const UNABLE = 10 * MINUTE
/** `limit exceeded` may mean a switched-off method or a moment's load; said so often in a row it is the former. */
const UNABLE_AFTER = 3
/** The same endpoint's trouble is worth a warning once in this time. */
const WARN_EVERY = MINUTE

interface Lack {
  times: number
  until: number
  error: ChainError
}

export function endpointHealth({ clock, log }: { clock: Clock; log: ChainLog }): EndpointHealth {
  const lacking = new Map<Endpoint, Map<string, Lack>>()
  const warnedAt = new Map<Endpoint, number>()

  const lacks = (endpoint: Endpoint, error: EndpointFailure): void => {
    const { method, code, message } = error
    const methods = lacking.get(endpoint) ?? new Map<string, Lack>()
    lacking.set(endpoint, methods)
    const times = (methods.get(method)?.times ?? 0) + 1
    const certain = code === -32601 || times >= UNABLE_AFTER
    methods.set(method, { times, until: certain ? clock.now() + UNABLE : 0, error: notServed(endpoint, error) })
    if (certain) log.warn({ endpoint: endpoint.masked, reason: message }, `${method} is not served`)
  }
  const coolDown = (endpoint: Endpoint, ms: number, error: ChainError): void => {
    const now = clock.now()
    // One outage fails everything in flight; it counts once.
    if (endpoint.coolUntil <= now) {
      endpoint.failures++
      const warned = warnedAt.get(endpoint)
      const level = warned === undefined || now - warned >= WARN_EVERY ? 'warn' : 'debug'
      if (level === 'warn') warnedAt.set(endpoint, now)
      log[level]({ endpoint: endpoint.masked, err: error, forMs: Math.round(ms) }, 'rpc endpoint set aside')
    }
    endpoint.coolUntil = Math.max(endpoint.coolUntil, now + ms)
    endpoint.trouble = error
  }
  /** Doubles with each failure in a row; jittered, so that not all clients come back at once. */
  const backoff = ({ failures }: Endpoint, first: number, longest: number): number =>
    Math.min(longest, first * 2 ** failures) * (0.5 + clock.random() / 2)

  const rated = (endpoint: Endpoint, error: EndpointFailure): void => {
    endpoint.gate.slowDown()
    const wait = error.retryAfterMs ?? backoff(endpoint, FIRST_RATE_COOL_DOWN, LONGEST_RATE_COOL_DOWN)
    coolDown(endpoint, Math.min(wait, LONGEST_RETRY_AFTER), error)
  }

  return {
    good: (endpoint) => {
      endpoint.failures = 0
      endpoint.trouble = null
    },
    failed: (endpoint, error) => {
      if (error instanceof WrongChainId) return coolDown(endpoint, DEAD_COOL_DOWN, error)
      if (!(error instanceof EndpointFailure))
        return coolDown(endpoint, backoff(endpoint, FIRST_COOL_DOWN, LONGEST_COOL_DOWN), error)
      if (error.down) endpoint.chain = 'unchecked'
      const { verdict } = error
      if (verdict.kind === 'rate') return rated(endpoint, error)
      if (verdict.kind === 'dead') return coolDown(endpoint, DEAD_COOL_DOWN, error)
      if (verdict.kind === 'unsupported') {
        if (verdict.what === 'method') lacks(endpoint, error)
        return
      }
      const fault =
        verdict.kind === 'other' || verdict.kind === 'timeout' || (verdict.kind === 'range' && !verdict.sure)
      if (fault) coolDown(endpoint, backoff(endpoint, FIRST_COOL_DOWN, LONGEST_COOL_DOWN), error)
    },
    trouble: (endpoint, method) => {
      const lack = method === undefined ? undefined : lacking.get(endpoint)?.get(method)
      return lack && lack.until > clock.now() ? lack.error : endpoint.trouble
    },
    unable: (endpoint, method) =>
      method !== undefined && (lacking.get(endpoint)?.get(method)?.until ?? 0) > clock.now(),
  }
}

function notServed({ masked }: Endpoint, cause: EndpointFailure): ChainError {
  const message = `${masked} does not serve ${cause.method}: name an endpoint that does`
  return new ChainError(message, { retryable: true, cause })
}
