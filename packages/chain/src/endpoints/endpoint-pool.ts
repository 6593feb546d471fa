import { setImmediate } from 'node:timers/promises'
import { Counts } from '@dexfeed/dex'
import type { ChainLog } from '../chain-log.ts'
import type { Clock } from '../clock.ts'
import {
  BlocksUnavailable,
  ChainError,
  ChainInconsistent,
  EndpointFailure,
  ProofFailed,
  RpcUnavailable,
  WrongChainId,
} from '../errors/chain-error.ts'
import type { RpcReply, RpcRequest } from '../json-rpc/messages.ts'
import { readQuantity } from '../json-rpc/rpc-value.ts'
import type { HttpReplies } from '../transport/http-endpoint.ts'
import type { Endpoint } from './endpoint.ts'
import { EndpointHealth } from './endpoint-health.ts'
import type { Priority } from './request-gate.ts'

export interface Operation {
  what: string
  priority: Priority
  method?: string
  leastPreferredFirst?: boolean
  elsewhere?: boolean
}

export interface EndpointPoolOptions {
  endpoints: readonly Endpoint[]
  chainId: number
  clock: Clock
  log: ChainLog
  operationTimeoutMs: number
  closed: AbortSignal
}

/** Maximum attempts to read missing or contradictory blocks. A lagging backend or a reorg settles within them. */
export const UNSETTLED_ATTEMPTS = 6
const FIRST_UNSETTLED_WAIT = 100

export class EndpointPool {
  readonly endpoints: readonly Endpoint[]
  readonly #options: EndpointPoolOptions
  readonly #health: EndpointHealth
  readonly #checks = new Map<Endpoint, Promise<void>>()

  constructor(options: EndpointPoolOptions) {
    this.endpoints = options.endpoints
    this.#options = options
    this.#health = new EndpointHealth(options)
  }

  /** Runs the work at one endpoint. After an error, runs all of it again at the next one, until the deadline. */
  async run<T>(operation: Operation, work: (session: Session) => Promise<T>): Promise<T> {
    const { clock, log, closed, operationTimeoutMs } = this.#options
    const deadline = clock.now() + operationTimeoutMs
    const inOrder = this.#inOrder(operation)
    const tries = new Counts<Endpoint>()
    const excluded = new Set<Endpoint>()
    const reasons = new Map<Endpoint, ChainError>()
    const errorOf = (e: Endpoint) => reasons.get(e) ?? this.#health.lastError(e, operation.method)
    let last: ChainError | null = null
    let unsettled = 0
    for (let attempt = 0; ; ) {
      const usable = inOrder.filter((e) => !excluded.has(e) && !this.#health.lacksMethod(e, operation.method))
      const next = nextEndpoint(usable, operation.priority, tries, clock.now())
      const wait = next ? Math.max(0, next.readyAt(operation.priority) - clock.now()) : 0
      if (!next || unsettled >= UNSETTLED_ATTEMPTS || clock.now() + wait > deadline) {
        throw operationFailure({ what: operation.what, endpoints: this.endpoints, errorOf, last })
      }
      if (wait > 0) await clock.sleep(wait, closed)
      if (closed.aborted) throw closedError()
      if (next.readyAt(operation.priority) > clock.now()) continue
      tries.add(next)
      try {
        return await this.#attempt(next, operation, work, attempt++)
      } catch (error) {
        if (closed.aborted || !(error instanceof ChainError)) throw error
        last = error
        reasons.set(next, error)
        log.debug({ endpoint: next.masked, what: operation.what, err: error }, 'rpc attempt failed')
        if (failsAgain(error)) excluded.add(next)
        if (!isUnsettled(error)) continue
        if (++unsettled < UNSETTLED_ATTEMPTS) await clock.sleep(unsettledPause(unsettled, clock), closed)
      }
    }
  }

  #inOrder({ leastPreferredFirst, elsewhere, method, priority }: Operation): readonly Endpoint[] {
    if (leastPreferredFirst === true) return this.endpoints.toReversed()
    if (elsewhere !== true) return this.endpoints
    const usable = this.endpoints.filter((e) => !this.#health.lacksMethod(e, method))
    const first = nextEndpoint(usable, priority, new Counts(), this.#options.clock.now())
    return this.endpoints.filter(({ host }) => host !== first?.host)
  }

  once<T>(endpoint: Endpoint, priority: Priority, work: (session: Session) => Promise<T>): Promise<T> {
    return this.#attempt(endpoint, { priority }, work, 0)
  }

  /** Returns the endpoints of other hosts that serve eth_getLogs. Some may be set aside. */
  witnessesOf({ host }: Endpoint): Endpoint[] {
    return this.endpoints.filter((e) => e.host !== host && !this.#health.lacksMethod(e, 'eth_getLogs'))
  }

  setAside(endpoint: Endpoint, ms: number): void {
    endpoint.coolUntil = Math.max(endpoint.coolUntil, this.#options.clock.now() + ms)
  }

  async #attempt<T>(
    endpoint: Endpoint,
    { priority, method }: Pick<Operation, 'priority' | 'method'>,
    work: (session: Session) => Promise<T>,
    attempt: number,
  ): Promise<T> {
    const { closed } = this.#options
    const session = openSession(endpoint, attempt, priority, closed)
    try {
      if (endpoint.chain !== 'right') await this.#checkOnce(endpoint)
      const result = await work(session)
      // The connection was lost meanwhile, so some responses may come from another chain.
      if (endpoint.chain !== 'right') await this.#checkOnce(endpoint)
      this.#health.onSuccess(endpoint, method)
      return result
    } catch (error) {
      if (closed.aborted) throw closedError()
      if (error instanceof ChainError && !isUnsettled(error)) this.#health.onFailure(endpoint, error, priority)
      throw error
    }
  }

  #checkOnce(endpoint: Endpoint): Promise<void> {
    const running = this.#checks.get(endpoint)
    if (running) return running
    // Not `bulk`, because work at the head may wait for this check even if bulk work started it.
    const session = openSession(endpoint, 0, 'live', this.#options.closed)
    const check = checkChain(session, this.#options.chainId).finally(() => this.#checks.delete(endpoint))
    this.#checks.set(endpoint, check)
    return check
  }
}

async function checkChain(session: Session, expected: number): Promise<void> {
  const { results } = await session.request([{ method: 'eth_chainId', params: [] }])
  const actual = readQuantity(results[0], 'eth_chainId')
  session.endpoint.chain = actual === expected ? 'right' : 'wrong'
  if (actual !== expected) throw new WrongChainId({ endpoint: session.endpoint.masked, expected, actual })
}

/**
 * Returns the ready endpoint with the fewest tries, preferring earlier ones. If none is ready, returns the one that
 * will be first.
 */
function nextEndpoint(
  usable: readonly Endpoint[],
  priority: Priority,
  tries: Counts<Endpoint>,
  now: number,
): Endpoint | null {
  const ready = usable.filter((e) => e.readyAt(priority) <= now)
  if (ready.length > 0) return ready.reduce((best, e) => (tries.of(e) < tries.of(best) ? e : best))
  return usable.length > 0
    ? usable.reduce((best, e) => (e.readyAt(priority) < best.readyAt(priority) ? e : best))
    : null
}

function unsettledPause(times: number, clock: Clock): number {
  return FIRST_UNSETTLED_WAIT * 2 ** (times - 1) * (0.5 + clock.random() / 2)
}

function failsAgain(error: ChainError): boolean {
  if (error instanceof WrongChainId || error instanceof ProofFailed) return true
  if (!(error instanceof EndpointFailure)) return false
  const { verdict } = error
  if (verdict.kind === 'range') return verdict.to === null
  return verdict.kind === 'unsupported' || verdict.kind === 'dead' || verdict.kind === 'reverted'
}

function isUnsettled(error: ChainError): boolean {
  return error instanceof ChainInconsistent || (error instanceof EndpointFailure && error.verdict.kind === 'not-yet')
}

interface FailedOperation {
  what: string
  endpoints: readonly Endpoint[]
  errorOf: (endpoint: Endpoint) => ChainError | null
  last: ChainError | null
}

function operationFailure({ what, endpoints, errorOf, last }: FailedOperation): ChainError {
  if (last instanceof ChainInconsistent) return last
  if (last && isUnsettled(last)) return new BlocksUnavailable({ what, cause: last })
  const errors = endpoints.map(errorOf)
  const wrong = errors.find((error) => error instanceof WrongChainId)
  if (wrong && errors.every((error) => error instanceof WrongChainId)) return wrong
  const reasons = endpoints.map((endpoint, i) => {
    const text = errors[i]?.message ?? 'is set aside'
    return text.startsWith(endpoint.masked) ? text : `${endpoint.masked} ${text}`
  })
  return new RpcUnavailable({ what, reasons, cause: last ?? errors.at(-1) })
}

export function isTooOld(error: unknown): boolean {
  return error instanceof RpcUnavailable && error.cause instanceof EndpointFailure && error.cause.isPruned
}

export function closedError(): ChainError {
  return new ChainError('the chain client is closed', { retryable: false })
}

/** One attempt of one operation at one endpoint. */
export interface Session {
  readonly endpoint: Endpoint
  readonly attempt: number
  /** Returns replies in the order of the requests. A reply may be an error. */
  send(requests: readonly RpcRequest[]): Promise<HttpReplies>
  request(requests: readonly RpcRequest[]): Promise<{ results: unknown[]; bytes: number }>
  yieldTurn(): Promise<void>
  failure(request: RpcRequest, reply: RpcReply): EndpointFailure | null
  missing(what: string, method?: string): EndpointFailure
  inconsistent(what: string): ChainInconsistent
}

export function openSession(endpoint: Endpoint, attempt: number, priority: Priority, closed: AbortSignal): Session {
  const send: Session['send'] = (requests) => endpoint.send(requests, priority, closed)
  return {
    endpoint,
    attempt,
    send,
    request: (requests) => requestAll(endpoint, send, requests),
    yieldTurn: async () => {
      await setImmediate()
      if (priority === 'bulk') await endpoint.bulkTurn()
    },
    failure: (request, reply) => endpoint.failure(request, reply),
    missing: (what, method = 'eth_getBlockByNumber') => {
      const verdict = { kind: 'not-yet' } as const
      return new EndpointFailure({ endpoint: endpoint.masked, method, verdict, detail: `${what} is not there` })
    },
    inconsistent: (what) => new ChainInconsistent({ endpoint: endpoint.masked, what }),
  }
}

/**
 * Some nodes fill a response up to a size limit and return errors for the remaining requests, which are then sent
 * again.
 */
async function requestAll(
  endpoint: Endpoint,
  send: Session['send'],
  requests: readonly RpcRequest[],
): Promise<{ results: unknown[]; bytes: number }> {
  const { replies, bytes } = await send(requests)
  const left: number[] = []
  let failure: EndpointFailure | null = null
  const results = replies.map((reply, i) => {
    const request = requests[i]
    const failed = request ? endpoint.failure(request, reply) : null
    if (failed === null) return 'result' in reply ? reply.result : null
    if (!isTooLarge(failed)) throw failed
    failure ??= failed
    left.push(i)
    return null
  })
  if (failure === null) return { results, bytes }
  if (left.length === requests.length) throw failure
  endpoint.limitBatch(requests.length - left.length)
  const rest = await requestAll(
    endpoint,
    send,
    left.flatMap((i) => requests[i] ?? []),
  )
  left.forEach((place, i) => {
    results[place] = rest.results[i]
  })
  return { results, bytes: bytes + rest.bytes }
}

/** Whether the batch is too large. For eth_getLogs, the same verdict is about the block range. */
function isTooLarge({ verdict, method }: EndpointFailure): boolean {
  return method !== 'eth_getLogs' && verdict.kind === 'range'
}
