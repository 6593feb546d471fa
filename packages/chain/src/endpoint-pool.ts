import { BlocksUnavailable, ChainError, ChainInconsistent, RpcUnavailable, WrongChainId } from './chain-error.ts'
import type { Clock } from './clock.ts'
import { type Endpoint, replyFailure } from './endpoint.ts'
import { EndpointFailure } from './endpoint-failure.ts'
import type { HttpReplies } from './http-endpoint.ts'
import type { RpcReply, RpcRequest } from './json-rpc.ts'
import type { Priority } from './request-gate.ts'
import { readQuantity } from './rpc-value.ts'

/** pino-like. */
export interface ChainLog {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/** One attempt of one operation at one endpoint: all its questions go to the same node. */
export interface Session {
  readonly endpoint: Endpoint
  /** 0 for the operation's first attempt. */
  readonly attempt: number
  /** Replies in the order asked; a reply may be an error. */
  send(requests: readonly RpcRequest[]): Promise<HttpReplies>
  /** Results in the order asked; an error reply throws. */
  ask(requests: readonly RpcRequest[]): Promise<{ results: unknown[]; bytes: number }>
  /** The failure that the error reply to one of the questions is; null for a result. */
  failure(request: RpcRequest, reply: RpcReply): EndpointFailure | null
  inconsistent(what: string): ChainInconsistent
}

export interface Operation {
  /** For error texts. */
  what: string
  priority: Priority
  /** The method that the operation cannot do without, where endpoints may lack it. */
  method?: string
}

export interface EndpointPool {
  readonly endpoints: readonly Endpoint[]
  /** Does the work at one endpoint; on trouble all of it again at the next one, until the deadline. */
  run<T>(operation: Operation, work: (session: Session) => Promise<T>): Promise<T>
  /** One attempt at one endpoint, without a second try. */
  once<T>(endpoint: Endpoint, priority: Priority, work: (session: Session) => Promise<T>): Promise<T>
  /** Leaves an endpoint alone for a while, although it answers. */
  setAside(endpoint: Endpoint, ms: number): void
}

export interface EndpointPoolOptions {
  endpoints: readonly Endpoint[]
  chainId: number
  clock: Clock
  log: ChainLog
  /** Deadline of an operation, with all its attempts. */
  operationTimeoutMs: number
  closed: AbortSignal
}

const SECOND = 1000
const MINUTE = 60 * SECOND
const FIRST_COOL_DOWN = 250
const LONGEST_COOL_DOWN = 10 * SECOND
const FIRST_RATE_COOL_DOWN = SECOND
const LONGEST_RATE_COOL_DOWN = MINUTE
/** A wrong key or a wrong chain is mended by people. */
const DEAD_COOL_DOWN = MINUTE
const UNABLE = 10 * MINUTE
/** `limit exceeded` may mean a switched-off method or a moment's load; said so often in a row it is the former. */
const UNABLE_AFTER = 3
/** Answers about blocks that are missing or do not fit: a lagging backend or a reorganisation settles within these. */
const UNSETTLED_ATTEMPTS = 6
const FIRST_UNSETTLED_WAIT = 100

/** Endpoints in order of preference: the first one that is fit does the whole operation. */
export function endpointPool(options: EndpointPoolOptions): EndpointPool {
  const { endpoints, chainId, clock, log, closed } = options
  const health = endpointHealth(options)

  const once = async <T>(
    endpoint: Endpoint,
    priority: Priority,
    work: (session: Session) => Promise<T>,
    attempt = 0,
  ): Promise<T> => {
    const session = openSession(endpoint, attempt, priority, closed)
    if (endpoint.chain !== 'right') await checkChain(session, chainId)
    const result = await work(session)
    health.good(endpoint)
    return result
  }

  const run = async <T>(operation: Operation, work: (session: Session) => Promise<T>): Promise<T> => {
    const deadline = clock.now() + options.operationTimeoutMs
    const tries = new Map<Endpoint, number>()
    const excluded = new Set<Endpoint>()
    const reasons = new Map<Endpoint, ChainError>()
    let unsettled = 0
    for (let attempt = 0; ; attempt++) {
      const usable = endpoints.filter((e) => !excluded.has(e) && !health.unable(e, operation.method))
      const next = nextEndpoint(usable, tries, clock.now())
      const wait = next ? next.coolUntil - clock.now() : 0
      if (!next || clock.now() + Math.max(0, wait) > deadline) throw exhausted(operation, reasons)
      if (wait > 0) await clock.sleep(wait, closed)
      if (closed.aborted) throw closedError()
      // Somebody else's failure may have set it aside meanwhile.
      if (next.coolUntil > clock.now()) continue
      tries.set(next, (tries.get(next) ?? 0) + 1)
      try {
        return await once(next, operation.priority, work, attempt)
      } catch (error) {
        if (closed.aborted) throw closedError()
        if (!(error instanceof ChainError)) throw error
        reasons.set(next, error)
        log.debug({ endpoint: next.masked, what: operation.what, err: error }, 'rpc attempt failed')
        if (isUnsettled(error)) {
          if (++unsettled >= UNSETTLED_ATTEMPTS) throw exhausted(operation, new Map([[next, error]]))
          await clock.sleep(jittered(FIRST_UNSETTLED_WAIT * 2 ** (unsettled - 1), clock), closed)
        } else if (health.failed(next, error) === 'exclude') excluded.add(next)
      }
    }
  }

  const setAside: EndpointPool['setAside'] = (endpoint, ms) => {
    endpoint.coolUntil = Math.max(endpoint.coolUntil, clock.now() + ms)
  }
  return { endpoints, run, once, setAside }
}

function openSession(endpoint: Endpoint, attempt: number, priority: Priority, closed: AbortSignal): Session {
  const send: Session['send'] = (requests) => endpoint.send(requests, priority, closed)
  return {
    endpoint,
    attempt,
    send,
    ask: async (requests) => {
      const { replies, bytes } = await send(requests)
      const results = replies.map((reply, i) => {
        const request = requests[i]
        if (request && 'error' in reply) throw replyFailure(endpoint, request, reply)
        return 'result' in reply ? reply.result : null
      })
      return { results, bytes }
    },
    failure: (request, reply) => replyFailure(endpoint, request, reply),
    inconsistent: (what) => new ChainInconsistent({ endpoint: endpoint.masked, what }),
  }
}

/** Before an endpoint is believed, at first and whenever it was gone: is it the right chain? */
async function checkChain(session: Session, expected: number): Promise<void> {
  const { results } = await session.ask([{ method: 'eth_chainId', params: [] }])
  const actual = readQuantity(results[0], 'eth_chainId')
  session.endpoint.chain = actual === expected ? 'right' : 'wrong'
  if (actual !== expected) throw new WrongChainId({ endpoint: session.endpoint.masked, expected, actual })
}

/** The endpoint tried least in this operation, then the preferred one; one that is cooling down only if all are. */
function nextEndpoint(usable: readonly Endpoint[], tries: Map<Endpoint, number>, now: number): Endpoint | null {
  const ready = usable.filter((e) => e.coolUntil <= now)
  const count = (e: Endpoint): number => tries.get(e) ?? 0
  if (ready.length > 0) return ready.reduce((best, e) => (count(e) < count(best) ? e : best))
  return usable.length > 0 ? usable.reduce((best, e) => (e.coolUntil < best.coolUntil ? e : best)) : null
}

/** The blocks are missing or do not fit together: nothing is wrong with the endpoint itself. */
function isUnsettled(error: ChainError): boolean {
  return error instanceof ChainInconsistent || (error instanceof EndpointFailure && error.verdict.kind === 'not-yet')
}

function exhausted({ what }: Operation, reasons: Map<Endpoint, ChainError>): ChainError {
  const errors = [...reasons.values()]
  const last = errors.at(-1)
  if (last instanceof ChainInconsistent) return last
  if (errors.length > 0 && errors.every((error) => error instanceof WrongChainId) && last) return last
  if (last && isUnsettled(last)) return new BlocksUnavailable({ what, cause: last })
  return new RpcUnavailable({ what, reasons: errors.map(({ message }) => message), cause: last })
}

function closedError(): ChainError {
  return new ChainError('the chain client is closed', { retryable: false })
}

function jittered(ms: number, clock: Clock): number {
  return ms * (0.5 + clock.random() / 2)
}

/** What failures and successes mean for an endpoint's further use. */
function endpointHealth({ clock, log }: EndpointPoolOptions) {
  const lacking = new Map<Endpoint, Map<string, { times: number; until: number }>>()

  const lacks = (endpoint: Endpoint, { method, code, message }: EndpointFailure): void => {
    const methods = lacking.get(endpoint) ?? new Map<string, { times: number; until: number }>()
    lacking.set(endpoint, methods)
    const times = (methods.get(method)?.times ?? 0) + 1
    const certain = code === -32601 || times >= UNABLE_AFTER
    methods.set(method, { times, until: certain ? clock.now() + UNABLE : 0 })
    if (certain)
      log.warn({ endpoint: endpoint.masked, method, reason: message }, `${method} is not served: name another endpoint`)
  }
  const coolDown = (endpoint: Endpoint, ms: number, error: ChainError): void => {
    const now = clock.now()
    // One outage fails everything in flight; it counts once.
    if (endpoint.coolUntil > now) return
    if (endpoint.failures++ === 0) log.warn({ endpoint: endpoint.masked, err: error }, 'rpc endpoint set aside')
    endpoint.coolUntil = now + ms
  }
  const backoff = (endpoint: Endpoint, first: number, longest: number): number =>
    jittered(Math.min(longest, first * 2 ** endpoint.failures), clock)

  const rated = (endpoint: Endpoint, error: EndpointFailure): void => {
    endpoint.gate.slowDown()
    const wait = error.retryAfterMs ?? backoff(endpoint, FIRST_RATE_COOL_DOWN, LONGEST_RATE_COOL_DOWN)
    const until = clock.now() + Math.min(wait, LONGEST_RATE_COOL_DOWN)
    coolDown(endpoint, wait, error)
    endpoint.coolUntil = Math.max(endpoint.coolUntil, until)
  }

  return {
    unable: (endpoint: Endpoint, method: string | undefined): boolean =>
      method !== undefined && (lacking.get(endpoint)?.get(method)?.until ?? 0) > clock.now(),
    good: (endpoint: Endpoint): void => {
      if (endpoint.failures > 0) log.info({ endpoint: endpoint.masked }, 'rpc endpoint answers again')
      endpoint.failures = 0
    },
    /** Notes it; 'exclude': asking this endpoint again within the operation is useless. */
    failed: (endpoint: Endpoint, error: ChainError): 'again' | 'exclude' => {
      if (error instanceof WrongChainId) {
        log.error(
          { endpoint: endpoint.masked, expected: error.expected, actual: error.actual },
          'rpc endpoint refused: wrong chain',
        )
        coolDown(endpoint, DEAD_COOL_DOWN, error)
        return 'exclude'
      }
      const verdict = error instanceof EndpointFailure ? error.verdict : ({ kind: 'other' } as const)
      if (error instanceof EndpointFailure) {
        if (error.down) endpoint.chain = 'unchecked'
        if (verdict.kind === 'unsupported' && verdict.what === 'method') lacks(endpoint, error)
        if (verdict.kind === 'rate') rated(endpoint, error)
      }
      if (verdict.kind === 'dead') coolDown(endpoint, DEAD_COOL_DOWN, error)
      const useless = verdict.kind === 'unsupported' || verdict.kind === 'dead' || verdict.kind === 'reverted'
      if (useless || (verdict.kind === 'range' && verdict.to === null)) return 'exclude'
      if (verdict.kind !== 'rate') coolDown(endpoint, backoff(endpoint, FIRST_COOL_DOWN, LONGEST_COOL_DOWN), error)
      return 'again'
    },
  }
}
