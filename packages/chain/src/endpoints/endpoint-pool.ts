import type { ChainLog } from '../chain-log.ts'
import type { Clock } from '../clock.ts'
import { ChainError, ChainInconsistent, WrongChainId } from '../errors/chain-error.ts'
import type { EndpointFailure } from '../errors/endpoint-failure.ts'
import type { RpcReply, RpcRequest } from '../json-rpc/messages.ts'
import { readQuantity } from '../json-rpc/rpc-value.ts'
import type { HttpReplies } from '../transport/http-endpoint.ts'
import { type Endpoint, replyFailure } from './endpoint.ts'
import { endpointHealth } from './endpoint-health.ts'
import { closedError, isUnsettled, isUseless, operationFailure } from './operation-failure.ts'
import type { Priority } from './request-gate.ts'

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
  /** The least preferred endpoint goes first: what the others told is to be checked. */
  backwards?: boolean
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

/** Answers about blocks that are missing or do not fit: a lagging backend or a reorganisation settles within these. */
const UNSETTLED_ATTEMPTS = 6
const FIRST_UNSETTLED_WAIT = 100

/** Endpoints in order of preference: the first one that is fit does the whole operation. */
export function endpointPool(options: EndpointPoolOptions): EndpointPool {
  const { endpoints, chainId, clock, log, closed } = options
  const health = endpointHealth(options)

  const checks = new Map<Endpoint, Promise<void>>()
  const checkOnce = (session: Session): Promise<void> => {
    const { endpoint } = session
    const check = checks.get(endpoint) ?? checkChain(session, chainId).finally(() => checks.delete(endpoint))
    checks.set(endpoint, check)
    return check
  }

  const attemptAt = async <T>(
    endpoint: Endpoint,
    priority: Priority,
    work: (session: Session) => Promise<T>,
    attempt: number,
  ): Promise<T> => {
    const session = openSession(endpoint, attempt, priority, closed)
    try {
      if (endpoint.chain !== 'right') await checkOnce(session)
      const result = await work(session)
      // A connection was lost meanwhile, and some of the answers may be of another chain.
      if (endpoint.chain !== 'right') await checkOnce(session)
      health.good(endpoint)
      return result
    } catch (error) {
      if (closed.aborted) throw closedError()
      if (error instanceof ChainError && !isUnsettled(error)) health.failed(endpoint, error)
      throw error
    }
  }

  const run = async <T>(operation: Operation, work: (session: Session) => Promise<T>): Promise<T> => {
    const deadline = clock.now() + options.operationTimeoutMs
    const inOrder = operation.backwards === true ? endpoints.toReversed() : endpoints
    const tries = new Map<Endpoint, number>()
    const excluded = new Set<Endpoint>()
    const reasons = new Map<Endpoint, ChainError>()
    const troubleOf = (e: Endpoint): ChainError | null => reasons.get(e) ?? health.trouble(e, operation.method)
    let last: ChainError | null = null
    let unsettled = 0
    for (let attempt = 0; ; ) {
      const usable = inOrder.filter((e) => !excluded.has(e) && !health.unable(e, operation.method))
      const next = nextEndpoint(usable, tries, clock.now())
      const wait = next ? Math.max(0, next.coolUntil - clock.now()) : 0
      if (!next || unsettled >= UNSETTLED_ATTEMPTS || clock.now() + wait > deadline) {
        throw operationFailure({ what: operation.what, endpoints, troubleOf, last })
      }
      if (wait > 0) await clock.sleep(wait, closed)
      if (closed.aborted) throw closedError()
      // Somebody else's failure may have set it aside meanwhile.
      if (next.coolUntil > clock.now()) continue
      tries.set(next, (tries.get(next) ?? 0) + 1)
      try {
        return await attemptAt(next, operation.priority, work, attempt++)
      } catch (error) {
        if (closed.aborted || !(error instanceof ChainError)) throw error
        last = error
        reasons.set(next, error)
        log.debug({ endpoint: next.masked, what: operation.what, err: error }, 'rpc attempt failed')
        if (isUseless(error)) excluded.add(next)
        if (!isUnsettled(error)) continue
        if (++unsettled < UNSETTLED_ATTEMPTS) await clock.sleep(unsettledPause(unsettled, clock), closed)
      }
    }
  }

  const setAside: EndpointPool['setAside'] = (endpoint, ms) => {
    endpoint.coolUntil = Math.max(endpoint.coolUntil, clock.now() + ms)
  }
  return { endpoints, run, once: (endpoint, priority, work) => attemptAt(endpoint, priority, work, 0), setAside }
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

function unsettledPause(times: number, clock: Clock): number {
  return FIRST_UNSETTLED_WAIT * 2 ** (times - 1) * (0.5 + clock.random() / 2)
}
