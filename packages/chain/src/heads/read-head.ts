import { type BlockHeader, MINUTE, SECOND } from '@dexfeed/dex'
import type { ChainLog } from '../chain-log.ts'
import type { Clock } from '../clock.ts'
import type { Endpoint } from '../endpoints/endpoint.ts'
import type { EndpointPool } from '../endpoints/endpoint-pool.ts'
import type { Session } from '../endpoints/session.ts'
import type { EndpointFailure } from '../errors/chain-error.ts'
import { ChainError } from '../errors/chain-error.ts'
import { blockRequest, headerRequest } from '../json-rpc/requests.ts'
import { readHeader, readPresentHeader } from '../json-rpc/rpc-block.ts'
import { readQuantity } from '../json-rpc/rpc-value.ts'
import { KnownHead } from './known-head.ts'
import { type Latest, SLOW_POLL_MS } from './watch-heads.ts'

/** How often the other endpoints are compared with the one in use. */
const COMPARE_EVERY = 10 * SECOND
/** An endpoint this far behind another one is stuck, not just slower. */
const STUCK_BLOCKS = 50
const STUCK_SECONDS = 30
const SET_ASIDE = MINUTE
/** A head this far above the last one must be there by its number, too. */
const MOST_AHEAD = 64

export interface HeadReaderOptions {
  pool: EndpointPool
  clock: Clock
  log: ChainLog
  pollMs: number
  /** How often finality is asked for while heads are watched. */
  finalityMs: number
}

/**
 * The head as the endpoint in use sees it, so that what follows can be read from there: jumping between endpoints by
 * height alone would jump between their forks too. Only one that is far behind another is set aside.
 */
export class HeadReader {
  readonly #pool: EndpointPool
  readonly #clock: Clock
  readonly #log: ChainLog
  readonly #known: KnownHead
  readonly #finalityMs: number
  #watching = 0
  #final: { number: number | null; at: number } | null = null
  #comparedAt = Number.NEGATIVE_INFINITY
  /** The last head that an endpoint showed; null before the first. */
  #shown: { used: Endpoint; number: number } | null = null
  /** Endpoints that told a head which they did not have. */
  readonly #doubted = new Set<Endpoint>()

  constructor({ pool, clock, log, pollMs, finalityMs }: HeadReaderOptions) {
    this.#pool = pool
    this.#clock = clock
    this.#log = log
    this.#known = new KnownHead(2 * Math.max(SLOW_POLL_MS, pollMs))
    this.#finalityMs = finalityMs
  }

  /** Heads are watched from now on, and what is learnt of them counts, until the returned function is called. */
  watch(): () => void {
    this.#watching++
    return () => {
      if (--this.#watching === 0) this.forget()
    }
  }

  /** What was learnt may be false: it is asked for again. */
  forget(): void {
    this.#known.forget()
    this.#final = null
  }

  /**
   * Blocks up to this one were not to be had: an endpoint that has told a head above, and does not have that block
   * itself, has made the head up. One that has just failed has not: it would only be asked more.
   */
  async doubt(number: number): Promise<void> {
    this.forget()
    if (this.#shown === null || this.#shown.number < number) return
    const { used } = this.#shown
    if (used.coolUntil > this.#clock.now()) return
    try {
      await this.#pool.once(used, 'live', async (session) => {
        const head = await fetchHead(session)
        if (head.number >= number && (await fetchWholeBlock(session, number)) === null) this.#overstated(used, head)
      })
    } catch (error) {
      if (!(error instanceof ChainError)) throw error
    }
  }

  announced(header: BlockHeader | null): void {
    this.#known.announced(header, this.#clock.now())
  }

  /** The head as it was announced or polled; null: it must be asked for. */
  known(): BlockHeader | null {
    return this.#known.at(this.#clock.now())
  }

  async head(): Promise<BlockHeader> {
    return this.known() ?? this.#fetchHead()
  }

  async #fetchHead(): Promise<BlockHeader> {
    const found = await this.#pool.run({ what: 'the latest block', priority: 'live' }, async (session) => ({
      used: session.endpoint,
      header: await this.#fetchCheckedHead(session),
    }))
    if (this.#watching > 0) this.#known.shown(found.header, this.#clock.now())
    void this.#compare(found.used, found.header)
    return found.header
  }

  async finalized(): Promise<number | null> {
    const now = this.#clock.now()
    if (this.#final !== null && now - this.#final.at < this.#finalityMs) return this.#final.number
    const operation = { what: 'the finalized block', priority: 'live' } as const
    const head = this.known()
    const number = await this.#pool.run(operation, (session) => fetchFinalized(session, head, this.#log))
    if (this.#watching > 0) this.#final = { number, at: now }
    return number
  }

  /** For polling: one cheap question, one attempt. */
  async latest(exact: boolean): Promise<Latest> {
    const used = this.#pool.endpoints.find((e) => e.coolUntil <= this.#clock.now())
    if (!used) throw new ChainError('every endpoint is set aside', { retryable: true })
    if (!exact) {
      const found = await this.#pool.once(used, 'live', fetchNumber)
      this.#known.counted(found.number, this.#clock.now())
      return found
    }
    const head = await this.#pool.once(used, 'live', (session) => this.#fetchCheckedHead(session))
    if (this.#watching > 0) this.#known.shown(head, this.#clock.now())
    void this.#compare(used, head)
    return { number: head.number, hash: head.hash }
  }

  /**
   * An endpoint's latest block. One that is far above the last one, or of an endpoint that is doubted, must be there.
   * A backend behind a balancer may lag once: who lacks its own head the second time has made it up.
   */
  async #fetchCheckedHead(session: Session): Promise<BlockHeader> {
    const { endpoint } = session
    const isFar = (head: BlockHeader) => this.#shown === null || head.number > this.#shown.number + MOST_AHEAD
    const head = await fetchHead(session)
    const isDoubted = this.#doubted.has(endpoint)
    if (isDoubted || isFar(head)) {
      const there = await fetchWholeBlock(session, head.number)
      if (there === null) {
        this.#doubted.add(endpoint)
        if (isDoubted) this.#overstated(endpoint, head)
      }
      if (there?.hash !== head.hash) throw session.inconsistent(`its latest block ${head.number} is not there`)
    }
    this.#doubted.delete(endpoint)
    this.#shown = { used: endpoint, number: head.number }
    return head
  }

  /** Sets an endpoint aside that made a head up, as long as there is another one. */
  #overstated(endpoint: Endpoint, { number }: BlockHeader): void {
    this.#doubted.add(endpoint)
    this.#shown = null
    const now = this.#clock.now()
    const isAlone = !this.#pool.endpoints.some(({ host, coolUntil }) => host !== endpoint.host && coolUntil <= now)
    const fields = { endpoint: endpoint.masked, head: number }
    if (isAlone) this.#log.warn(fields, 'rpc endpoint tells a head that it does not have')
    else {
      this.#log.warn(fields, 'rpc endpoint tells a head that it does not have: set aside')
      this.#pool.setAside(endpoint, SET_ASIDE)
    }
  }

  /** Runs beside the question, which does not wait for slower endpoints: the next one profits. */
  async #compare(used: Endpoint, head: BlockHeader): Promise<void> {
    const now = this.#clock.now()
    const others = this.#pool.endpoints.filter((e) => e !== used && e.coolUntil <= now)
    if (others.length === 0 || now - this.#comparedAt < COMPARE_EVERY) return
    this.#comparedAt = now
    const request = (session: Session) => fetchIfFarAbove(session, head)
    const heads = await Promise.all(others.map((e) => this.#pool.once(e, 'live', request).catch(() => null)))
    const best = heads.reduce((a, b) => (b !== null && (a === null || b.number > a.number) ? b : a), null)
    if (best === null) return
    this.#log.warn({ endpoint: used.masked, head: head.number, best: best.number }, 'rpc endpoint is stuck: set aside')
    this.#pool.setAside(used, SET_ASIDE)
  }
}

async function fetchHead(session: Session): Promise<BlockHeader> {
  const { results } = await session.request([headerRequest('latest')])
  return readPresentHeader(results[0], 'latest block')
}

/**
 * The latest block of an endpoint where it is far above another one's; null: it is not. The endpoint must have the whole
 * of it, and of one above the other's that leads to it: a head that is made up sets nobody aside.
 */
async function fetchIfFarAbove(session: Session, low: BlockHeader): Promise<BlockHeader | null> {
  const head = await fetchHead(session)
  const ahead = head.number - low.number
  if (ahead < STUCK_BLOCKS && (ahead <= 0 || head.timestamp - low.timestamp < STUCK_SECONDS)) return null
  // Not far below the head, whose older bodies a pruned node need not keep.
  const numbers = [Math.max(low.number + 1, head.number - STUCK_BLOCKS), head.number]
  const [below, shown] = await Promise.all(numbers.map((number) => fetchWholeBlock(session, number)))
  if (!below || shown?.hash !== head.hash) throw session.inconsistent(`its latest block ${head.number} is not there`)
  return head
}

/** The header of a block that an endpoint shows with its transactions: headers alone are soon made up. Null: it is not there. */
async function fetchWholeBlock(session: Session, number: number): Promise<BlockHeader | null> {
  const request = blockRequest(number)
  const [reply] = (await session.send([request])).replies
  const failure = reply ? session.failure(request, reply) : null
  if (failure !== null && failure.verdict.kind !== 'not-yet') throw failure
  const header = reply !== undefined && 'result' in reply ? readHeader(reply.result) : null
  if (header && header.number !== number) throw session.inconsistent(`asked for block ${number}, got ${header.number}`)
  return header
}

async function fetchNumber(session: Session): Promise<Latest> {
  const { results } = await session.request([{ method: 'eth_blockNumber', params: [] }])
  return { number: readQuantity(results[0], 'eth_blockNumber'), hash: null }
}

/** @param known the head, where it need not be asked for */
async function fetchFinalized(session: Session, known: BlockHeader | null, log: ChainLog): Promise<number | null> {
  const request = headerRequest('finalized')
  const requests = known === null ? [request, headerRequest('latest')] : [request]
  const [finalized, latest] = (await session.send(requests)).replies
  if (!finalized) return null
  if ('error' in finalized) {
    const failure = session.failure(request, finalized)
    if (failure && isEndpointFault(failure)) throw failure
    return null
  }
  const number = readHeader(finalized.result)?.number ?? null
  const head = known ?? (latest !== undefined && 'result' in latest ? readHeader(latest.result) : null)
  if (number === null || head === null || number <= head.number) return number
  log.warn(
    { endpoint: session.endpoint.masked, finalized: number, latest: head.number },
    'finalized above latest: clamped',
  )
  return head.number
}

/** Any other error means that the node does not know the tag. */
function isEndpointFault({ verdict }: EndpointFailure): boolean {
  return verdict.kind === 'rate' || verdict.kind === 'dead' || verdict.kind === 'timeout'
}
