import { type BlockHeader, MINUTE, SECOND } from '@dexfeed/dex'
import { fetchWholeBlock } from '../blocks/read-header.ts'
import type { ChainLog } from '../chain-log.ts'
import type { Clock } from '../clock.ts'
import type { Endpoint } from '../endpoints/endpoint.ts'
import type { EndpointPool, Session } from '../endpoints/endpoint-pool.ts'
import { ChainError, type EndpointFailure } from '../errors/chain-error.ts'
import { headerRequest } from '../json-rpc/messages.ts'
import { readHeader, readPresentHeader } from '../json-rpc/rpc-block.ts'
import { readQuantity } from '../json-rpc/rpc-value.ts'
import { type Latest, SLOW_POLL_MS, type WatchHeadsOptions, watchHeads } from './watch-heads.ts'

/** An announced head further than this above the known one is not trusted; the head must be requested. */
const MAX_AHEAD = 64

/**
 * Remembers the head as announced or polled. It is only a claim: blocks are read and proven anyway, and a reader that
 * cannot read them calls `forget`.
 */
export class KnownHead {
  readonly #freshMs: number
  #header: BlockHeader | null = null
  #isAnnounced = false
  #confirmedAt = Number.NEGATIVE_INFINITY

  constructor(freshMs: number) {
    this.#freshMs = freshMs
  }

  at(now: number): BlockHeader | null {
    return now - this.#confirmedAt <= this.#freshMs ? this.#header : null
  }

  announced(header: BlockHeader | null, now: number): void {
    const last = this.#header
    if (header === null || last === null || header.number > last.number + MAX_AHEAD) this.forget()
    else this.#take(header, true, now)
  }

  shown(header: BlockHeader, now: number): void {
    if (this.#isAnnounced && this.#header !== null && header.number < this.#header.number) return
    this.#take(header, this.#isAnnounced && header.hash === this.#header?.hash, now)
  }

  counted(number: number, now: number): void {
    if (this.#header === null || (this.#isAnnounced && number < this.#header.number)) return
    if (number === this.#header.number) this.#confirmedAt = now
    else this.forget()
  }

  forget(): void {
    this.#header = null
    this.#isAnnounced = false
  }

  #take(header: BlockHeader, isAnnounced: boolean, now: number): void {
    this.#header = header
    this.#isAnnounced = isAnnounced
    this.#confirmedAt = now
  }
}

const COMPARE_EVERY = 10 * SECOND
/** An endpoint this far below another one is stuck, not just slower. */
const STUCK_BLOCKS = 50
const STUCK_SECONDS = 30
const SET_ASIDE = MINUTE

interface HeadReaderOptions extends Omit<WatchHeadsOptions, 'latest' | 'announced'> {
  pool: EndpointPool
  finalityMs: number
}

/**
 * Reads the head from one endpoint until that endpoint falls far behind another. The highest head of all endpoints
 * would jump between forks.
 */
export class HeadReader {
  readonly #pool: EndpointPool
  readonly #clock: Clock
  readonly #log: ChainLog
  readonly #known: KnownHead
  readonly #options: HeadReaderOptions
  /** Open watches. Heads are remembered only while there is one. */
  readonly #watches = new Set<() => void>()
  #final: { number: number | null; readAt: number } | null = null
  #comparedAt = Number.NEGATIVE_INFINITY
  #shown: { used: Endpoint; number: number } | null = null
  readonly #doubted = new Set<Endpoint>()

  constructor(options: HeadReaderOptions) {
    this.#options = options
    this.#pool = options.pool
    this.#clock = options.clock
    this.#log = options.log
    this.#known = new KnownHead(2 * Math.max(SLOW_POLL_MS, options.pollMs))
  }

  onHead(wake: () => void): () => void {
    const announced = (header: BlockHeader | null) => this.#known.announced(header, this.#clock.now())
    const unwatch = watchHeads({ ...this.#options, latest: (exact) => this.#latest(exact), announced }, wake)
    const stop = () => {
      if (!this.#watches.delete(stop)) return
      unwatch()
      if (this.#watches.size === 0) this.#forget()
    }
    this.#watches.add(stop)
    return stop
  }

  close(): void {
    for (const stop of this.#watches) stop()
  }

  #forget(): void {
    this.#known.forget()
    this.#final = null
  }

  /**
   * Call this if blocks up to `number` could not be read. An endpoint that reported a head at or above it, but lacks
   * the block, is set aside, unless it has just failed.
   */
  async doubt(number: number): Promise<void> {
    this.#forget()
    if (this.#shown === null || this.#shown.number < number) return
    const { used } = this.#shown
    if (used.coolUntil > this.#clock.now()) return
    try {
      await this.#pool.once(used, 'live', async (session) => {
        const head = await fetchHead(session)
        if (head.number >= number && (await fetchWholeBlock(session, number)) === null) this.#onMissingHead(used, head)
      })
    } catch (error) {
      if (!(error instanceof ChainError)) throw error
    }
  }

  knownHead(): BlockHeader | null {
    return this.#known.at(this.#clock.now())
  }

  async head(): Promise<BlockHeader> {
    return this.knownHead() ?? this.#fetchHead()
  }

  async #fetchHead(): Promise<BlockHeader> {
    const found = await this.#pool.run({ what: 'the latest block', priority: 'live' }, async (session) => ({
      used: session.endpoint,
      header: await this.#fetchCheckedHead(session),
    }))
    if (this.#watches.size > 0) this.#known.shown(found.header, this.#clock.now())
    void this.#compare(found.used, found.header)
    return found.header
  }

  async finalized(): Promise<number | null> {
    const now = this.#clock.now()
    if (this.#final !== null && now - this.#final.readAt < this.#options.finalityMs) return this.#final.number
    const operation = { what: 'the finalized block', priority: 'live' } as const
    const head = this.knownHead()
    const number = await this.#pool.run(operation, (session) => fetchFinalized(session, head, this.#log))
    if (this.#watches.size > 0) this.#final = { number, readAt: now }
    return number
  }

  async #latest(exact: boolean): Promise<Latest> {
    const used = this.#pool.endpoints.find((e) => e.coolUntil <= this.#clock.now())
    if (!used) throw new ChainError('every endpoint is set aside', { retryable: true })
    if (!exact) {
      const found = await this.#pool.once(used, 'live', fetchNumber)
      this.#known.counted(found.number, this.#clock.now())
      return found
    }
    const head = await this.#pool.once(used, 'live', (session) => this.#fetchCheckedHead(session))
    if (this.#watches.size > 0) this.#known.shown(head, this.#clock.now())
    void this.#compare(used, head)
    return { number: head.number, hash: head.hash }
  }

  /**
   * Fetches the latest block. If it is far above the last head, or if the endpoint is in doubt, it must also be found
   * by number. A backend may lag once; an endpoint that lacks its own head twice made it up.
   */
  async #fetchCheckedHead(session: Session): Promise<BlockHeader> {
    const { endpoint } = session
    const isFar = (head: BlockHeader) => this.#shown === null || head.number > this.#shown.number + MAX_AHEAD
    const head = await fetchHead(session)
    const isDoubted = this.#doubted.has(endpoint)
    if (isDoubted || isFar(head)) {
      const there = await fetchWholeBlock(session, head.number)
      if (there === null) {
        this.#doubted.add(endpoint)
        if (isDoubted) this.#onMissingHead(endpoint, head)
      }
      if (there?.hash !== head.hash) throw session.inconsistent(`its latest block ${head.number} is not there`)
    }
    this.#doubted.delete(endpoint)
    this.#shown = { used: endpoint, number: head.number }
    return head
  }

  #onMissingHead(endpoint: Endpoint, { number }: BlockHeader): void {
    this.#doubted.add(endpoint)
    this.#shown = null
    const now = this.#clock.now()
    const isAlone = !this.#pool.endpoints.some(({ host, coolUntil }) => host !== endpoint.host && coolUntil <= now)
    const fields = { endpoint: endpoint.masked, head: number }
    if (isAlone) this.#log.warn(fields, 'rpc endpoint reports a head that it does not have')
    else {
      this.#log.warn(fields, 'rpc endpoint reports a head that it does not have: set aside')
      this.#pool.setAside(endpoint, SET_ASIDE)
    }
  }

  /** Compares the head with other endpoints in the background, so that no request waits for slower ones. */
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
 * Returns the endpoint's latest block if it is far above `low`, else null. The endpoint must have the whole block and a
 * lower one, so that a made-up head does not set another endpoint aside.
 */
async function fetchIfFarAbove(session: Session, low: BlockHeader): Promise<BlockHeader | null> {
  const head = await fetchHead(session)
  const ahead = head.number - low.number
  if (ahead < STUCK_BLOCKS && (ahead <= 0 || head.timestamp - low.timestamp < STUCK_SECONDS)) return null
  // The lower block is near the head, because a pruned node may lack older bodies.
  const numbers = [Math.max(low.number + 1, head.number - STUCK_BLOCKS), head.number]
  const [below, shown] = await Promise.all(numbers.map((number) => fetchWholeBlock(session, number)))
  if (!below || shown?.hash !== head.hash) throw session.inconsistent(`its latest block ${head.number} is not there`)
  return head
}

async function fetchNumber(session: Session): Promise<Latest> {
  const { results } = await session.request([{ method: 'eth_blockNumber', params: [] }])
  return { number: readQuantity(results[0], 'eth_blockNumber'), hash: null }
}

async function fetchFinalized(session: Session, knownHead: BlockHeader | null, log: ChainLog): Promise<number | null> {
  const request = headerRequest('finalized')
  const requests = knownHead === null ? [request, headerRequest('latest')] : [request]
  const [finalized, latest] = (await session.send(requests)).replies
  if (!finalized) return null
  if ('error' in finalized) {
    const failure = session.failure(request, finalized)
    if (failure && isEndpointFault(failure)) throw failure
    return null
  }
  const number = readHeader(finalized.result)?.number ?? null
  const head = knownHead ?? (latest !== undefined && 'result' in latest ? readHeader(latest.result) : null)
  if (number === null || head === null || number <= head.number) return number
  log.warn(
    { endpoint: session.endpoint.masked, finalized: number, latest: head.number },
    'finalized block above the latest block: clamped to it',
  )
  return head.number
}

/** Whether the endpoint itself failed. Any other error means that the node does not know the `finalized` tag. */
function isEndpointFault({ verdict }: EndpointFailure): boolean {
  return verdict.kind === 'rate' || verdict.kind === 'dead' || verdict.kind === 'timeout'
}
