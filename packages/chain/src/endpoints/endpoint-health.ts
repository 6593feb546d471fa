import { MINUTE, SECOND } from '@dexfeed/dex'
import type { ChainLog } from '../chain-log.ts'
import type { Clock } from '../clock.ts'
import { ChainError, EndpointFailure, ProofFailed, WrongChainId } from '../errors/chain-error.ts'
import type { Endpoint } from './endpoint.ts'
import type { Priority } from './request-gate.ts'

const FIRST_COOL_DOWN = SECOND / 4
const LONGEST_COOL_DOWN = 10 * SECOND
const FIRST_RATE_COOL_DOWN = SECOND
const LONGEST_RATE_COOL_DOWN = MINUTE
const LONGEST_RETRY_AFTER = 10 * MINUTE
/** The pause after a failed proof, or an error that needs a manual fix, such as a wrong key or chain id. */
const DEAD_COOL_DOWN = MINUTE
/**
 * Pauses only history after a failed proof, if there is no other endpoint. The head continues, because it is proven,
 * too.
 */
const FALSE_HISTORY_COOL_DOWN = 10 * SECOND
/** How long a method counts as missing after one refusal, and after two in a row. */
const MISSING_MS = [10 * SECOND, MINUTE]
const LONGEST_MISSING_MS = 10 * MINUTE
/** `limit exceeded` may mean a short overload. After this many in a row, the method counts as disabled. */
const CERTAIN_AFTER = 3
/** Interval of warnings per endpoint and kind of error, so that a timeout does not hide a false block. */
const WARN_EVERY = MINUTE

interface MissingMethod {
  times: number
  until: number
  error: ChainError
}

export class EndpointHealth {
  readonly #endpoints: readonly Endpoint[]
  readonly #clock: Clock
  readonly #log: ChainLog
  readonly #missing = new Map<Endpoint, Map<string, MissingMethod>>()
  readonly #warnedAt = new Map<Endpoint, Map<string, number>>()

  constructor({ endpoints, clock, log }: { endpoints: readonly Endpoint[]; clock: Clock; log: ChainLog }) {
    this.#endpoints = endpoints
    this.#clock = clock
    this.#log = log
  }

  onSuccess(endpoint: Endpoint, method: string | undefined): void {
    endpoint.failures = 0
    endpoint.lastError = null
    // If the work started before the method was found missing, its success proves nothing.
    if (method !== undefined && !this.lacksMethod(endpoint, method)) this.#missing.get(endpoint)?.delete(method)
  }

  onFailure(endpoint: Endpoint, error: ChainError, priority: Priority): void {
    if (error instanceof ProofFailed && priority === 'bulk' && this.#isAlone(endpoint))
      this.#holdHistory(endpoint, error)
    else if (error instanceof WrongChainId || error instanceof ProofFailed) {
      this.#coolDown(endpoint, DEAD_COOL_DOWN, error)
    } else if (error instanceof EndpointFailure) this.#requestFailed(endpoint, error, priority)
    else this.#backOff(endpoint, error)
  }

  lastError(endpoint: Endpoint, method: string | undefined): ChainError | null {
    return this.#missingNow(endpoint, method)?.error ?? endpoint.lastError
  }

  lacksMethod(endpoint: Endpoint, method: string | undefined): boolean {
    return this.#missingNow(endpoint, method) !== null
  }

  #requestFailed(endpoint: Endpoint, error: EndpointFailure, priority: Priority): void {
    const { verdict, down } = error
    if (down) endpoint.chain = 'unchecked'
    if (verdict.kind === 'rate') this.#onRateRefusal(endpoint, error, priority)
    else if (verdict.kind === 'dead') this.#coolDown(endpoint, DEAD_COOL_DOWN, error)
    else if (verdict.kind === 'unsupported' && verdict.what === 'method') this.#noteMissing(endpoint, error)
    else if (verdict.kind === 'other' || verdict.kind === 'timeout' || (verdict.kind === 'range' && !verdict.sure)) {
      this.#backOff(endpoint, error)
    }
  }

  #missingNow(endpoint: Endpoint, method: string | undefined): MissingMethod | null {
    const missing = method === undefined ? undefined : this.#missing.get(endpoint)?.get(method)
    return missing && missing.until > this.#clock.now() ? missing : null
  }

  #noteMissing(endpoint: Endpoint, error: EndpointFailure): void {
    const { method, code, message } = error
    const methods = this.#missing.get(endpoint) ?? new Map<string, MissingMethod>()
    this.#missing.set(endpoint, methods)
    const before = methods.get(method)
    const times = before === undefined ? 1 : before.times + 1
    const certain = code === -32601 || times >= CERTAIN_AFTER
    const until = certain ? this.#clock.now() + (MISSING_MS[times - 1] ?? LONGEST_MISSING_MS) : 0
    methods.set(method, { times, until, error: notServed(endpoint, error) })
    if (certain) this.#log.warn({ endpoint: endpoint.masked, reason: message }, `${method} is not served`)
  }

  #isAlone({ host }: Endpoint): boolean {
    const now = this.#clock.now()
    return !this.#endpoints.some((e) => e.host !== host && e.coolUntil <= now)
  }

  #holdHistory(endpoint: Endpoint, error: ChainError): void {
    endpoint.lastError = error
    endpoint.bulkFrom = this.#clock.now() + FALSE_HISTORY_COOL_DOWN
    this.#log[this.#warnLevel(endpoint, error)](
      { endpoint: endpoint.masked, err: error },
      'rpc endpoint set aside for history',
    )
  }

  #onRateRefusal(endpoint: Endpoint, error: EndpointFailure, priority: Priority): void {
    if (priority === 'bulk') {
      endpoint.lastError = error
      this.#log[this.#warnLevel(endpoint, error)](
        { endpoint: endpoint.masked, err: error },
        'rpc endpoint refuses history',
      )
      return
    }
    const wait = error.retryAfterMs ?? this.#pause(endpoint, FIRST_RATE_COOL_DOWN, LONGEST_RATE_COOL_DOWN)
    this.#coolDown(endpoint, Math.min(wait, LONGEST_RETRY_AFTER), error)
  }

  #backOff(endpoint: Endpoint, error: ChainError): void {
    this.#coolDown(endpoint, this.#pause(endpoint, FIRST_COOL_DOWN, LONGEST_COOL_DOWN), error)
  }

  #pause({ failures }: Endpoint, first: number, longest: number): number {
    return Math.min(longest, first * 2 ** failures) * (0.5 + this.#clock.random() / 2)
  }

  #coolDown(endpoint: Endpoint, ms: number, error: ChainError): void {
    const now = this.#clock.now()
    // An outage fails all requests in flight, but counts once.
    const isNew = endpoint.coolUntil <= now
    if (isNew) endpoint.failures++
    if (isNew || error instanceof ProofFailed) {
      this.#log[this.#warnLevel(endpoint, error)](
        { endpoint: endpoint.masked, err: error, forMs: Math.round(ms) },
        'rpc endpoint set aside',
      )
    }
    endpoint.coolUntil = Math.max(endpoint.coolUntil, now + ms)
    endpoint.lastError = error
  }

  #warnLevel(endpoint: Endpoint, { name }: ChainError): 'warn' | 'debug' {
    const now = this.#clock.now()
    const warned = this.#warnedAt.get(endpoint) ?? new Map<string, number>()
    this.#warnedAt.set(endpoint, warned)
    if (now - (warned.get(name) ?? Number.NEGATIVE_INFINITY) < WARN_EVERY) return 'debug'
    warned.set(name, now)
    return 'warn'
  }
}

function notServed({ masked }: Endpoint, cause: EndpointFailure): ChainError {
  const message = `${masked} does not serve ${cause.method}: name an endpoint that does`
  return new ChainError(message, { retryable: true, cause })
}
