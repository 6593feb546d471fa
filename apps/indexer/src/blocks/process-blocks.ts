import type { TransactionPlace } from '@dexfeed/chain'
import {
  type Address,
  type Block,
  type BlockHops,
  type BlockPoint,
  blockHops,
  closedLoops,
  comparedEnds,
  type Deployment,
  decode,
  decodersOf,
  type EventDecoder,
  FLAG_CLOSED_LOOP,
  type Hex,
  type Log,
  logsByTransaction,
  orderTopics,
  type PoolAddress,
  type PoolEvent,
  type PricedTrade,
  type Protocol,
  priceTrade,
  protocolOf,
  type ReferenceBook,
  type ReferencePool,
  referenceEventOf,
  type Trade,
  type TradeRules,
  toTrades,
  tradeRules,
  tradingTransactions,
  WITHOUT_TOPIC,
} from '@dexfeed/dex'
import type { UnconfirmedDenial } from '@dexfeed/store'
import { type DroppedEmitter, DroppedEvents } from '../pools/dropped-events.ts'
import { isTrade, type PoolRegistry, type ResolveOptions } from '../pools/pool-registry.ts'
import { VenueCounts } from './venue-counts.ts'

/** Returns the first topics of logs that make a block worth reading: pool events, pool creations, settlements' orders. */
export function watchedTopics({ dexes, settlements = [] }: Pick<Deployment, 'dexes' | 'settlements'>): Hex[] {
  const kinds = dexes.map(({ kind }) => kind)
  const creations = kinds.flatMap((kind) => protocolOf(kind).creation?.topic ?? [])
  const topics = [...decodersOf(kinds).keys()].filter((topic) => topic !== WITHOUT_TOPIC)
  return [...new Set([...topics, ...creations, ...orderTopics(settlements)])]
}

export interface BlockEvents {
  blockNumber: number
  events: readonly PoolEvent[]
}

/** Returns the distinct pools of some events. */
export function poolsOf(blocks: readonly BlockEvents[]): Set<Address> {
  return new Set(blocks.flatMap(({ events }) => events.map(({ pool }) => pool)))
}

function tradedAmong(events: readonly PoolEvent[], pools: ReadonlySet<PoolAddress>): PoolAddress[] {
  return [...new Set(events.flatMap(({ type, pool }) => (isTrade(type) && pools.has(pool) ? [pool] : [])))]
}

function namedTokens(blocks: readonly UnpricedBlock[]): Address[] {
  const tokens = new Set<Address>()
  for (const { trades } of blocks) for (const { sell, buy } of trades) tokens.add(sell.token).add(buy.token)
  return [...tokens]
}

type TransactionHops = BlockHops['transactions'][number]

interface BlocksWithHops {
  /** The hops of each transaction's trades, and swaps that make no trade. `explain` shows them. */
  hops: TransactionHops[]
  /** The events that change pool state, in order. */
  events: BlockEvents[]
  /** Emitters without rows that only one endpoint denied, with the blocks of their events. */
  denied: UnconfirmedDenial[]
  /** Ascending. These blocks have no trades here and must be processed again. */
  skipped: SkippedBlock[]
}

/** A block with swaps of pools whose keys are not known yet. */
export interface SkippedBlock {
  number: number
  pools: readonly PoolAddress[]
}

/** A pool that a configured factory announced in a log. */
type Creation = NonNullable<ReturnType<NonNullable<Protocol['creation']>['read']>>

/**
 * A block with only what pricing needs. Its logs and receipts are left out, because they are as large as the response.
 */
interface UnpricedBlock extends BlockPoint {
  trades: readonly Trade[]
  created: readonly { pool: Creation; protocol: Protocol }[]
}

/** Blocks whose pools, tokens and receipts have been read. */
export interface PreparedBlocks extends BlocksWithHops {
  unpriced: readonly UnpricedBlock[]
}

export interface Processed extends BlocksWithHops {
  trades: PricedTrade[]
}

/** Counts of logs with our topics that make no rows. */
export interface DroppedLogs {
  /** Logs from contracts that no configured factory confirms. */
  unverified: number
  malformed: number
  /** Those contracts. */
  emitters: readonly DroppedEmitter[]
}

interface ProcessorOptions {
  onDropped?: ((logs: DroppedLogs) => void) | undefined
  onReference?: (pool: Pick<ReferencePool, 'token0' | 'token1'>) => void
  /** Whether to count unread venues, which parses one block in eight; default false. */
  countVenues?: boolean | undefined
}

/** Reads the receipts that did not come with their block. */
export interface ReceiptReader {
  transactionLogs(places: readonly TransactionPlace[], priority?: 'live' | 'bulk'): Promise<Log[][]>
}

/** Turns blocks into rows, for live blocks and history. ARCHITECTURE.md describes it as the way of a block. */
export class BlockProcessor {
  readonly #registry: PoolRegistry
  readonly #chain: ReceiptReader
  readonly #rules: TradeRules
  readonly #decoders: ReadonlyMap<Hex, EventDecoder>
  readonly #protocols: ReadonlyMap<Address, Protocol>
  readonly #onDropped: NonNullable<ProcessorOptions['onDropped']>
  readonly #onReference: NonNullable<ProcessorOptions['onReference']>
  /** Counts swap-like receipts of venues that are not read, if that is requested. */
  readonly venues: VenueCounts
  readonly #countsVenues: boolean

  constructor(
    deployment: Deployment,
    registry: PoolRegistry,
    chain: ReceiptReader,
    { onDropped = () => undefined, onReference = () => undefined, countVenues = false }: ProcessorOptions = {},
  ) {
    this.#registry = registry
    this.#chain = chain
    this.#rules = tradeRules(deployment)
    this.#decoders = decodersOf(deployment.dexes.map(({ kind }) => kind))
    this.#protocols = new Map(deployment.dexes.map(({ factory, kind }) => [factory, protocolOf(kind)]))
    this.#onDropped = onDropped
    this.#onReference = onReference
    this.venues = new VenueCounts(deployment.wrappedNative)
    this.#countsVenues = countVenues
  }

  /**
   * Prepares and prices blocks (ascending), and moves the book past the last. At block `at`, contracts can be called.
   */
  async process(
    blocks: readonly Block[],
    book: ReferenceBook,
    at: Hex | 'latest',
    options: ResolveOptions = {},
  ): Promise<Processed> {
    return this.price(await this.prepare(blocks, at, options), book)
  }

  /** Verifies the emitters of blocks again, denied ones included. */
  async verifyEmitters(blocks: readonly Block[]): Promise<void> {
    const events = blocks.flatMap((block) => decode(block, this.#decoders).events)
    await this.#registry.resolve(events, 'latest', { deferKeys: true, recheckDenied: true })
  }

  /** Sends all requests for some blocks. It needs no state of earlier blocks, so several parts can run in parallel. */
  async prepare(blocks: readonly Block[], at: Hex | 'latest', options: ResolveOptions = {}): Promise<PreparedBlocks> {
    const decoded = blocks.map((block) => decode(block, this.#decoders))
    const emitted = decoded.flatMap(({ events }) => events)
    const unresolved = await this.#registry.resolve(emitted, at, options)
    const { pools } = this.#registry.known
    const prepared: Omit<BlocksWithHops, 'denied'> = { hops: [], events: [], skipped: [] }
    const blocksHops: BlockHops[] = []
    const dropped = new DroppedEvents()
    const counts = { unverified: 0, malformed: 0 }
    blocks.forEach((block, index) => {
      const { events: found = [], malformed = 0 } = decoded[index] ?? {}
      const events = found.flatMap((event) => this.#touched(event))
      const verified = events.filter(({ pool }) => pools.has(pool))
      const keyless = unresolved.size === 0 ? [] : tradedAmong(events, unresolved)
      const unverified = events.filter(({ pool }) => !pools.has(pool) && !unresolved.has(pool))
      for (const { pool } of unverified) dropped.note({ emitter: pool, from: block.number, to: block.number })
      counts.unverified += unverified.length
      counts.malformed += malformed
      if (keyless.length > 0) prepared.skipped.push({ number: block.number, pools: keyless })
      const hops = blockHops(block, verified, pools, this.#rules)
      blocksHops.push(hops)
      for (const transactionHops of hops.transactions) prepared.hops.push(transactionHops)
      if (this.#countsVenues) this.venues.note(hops)
      if (verified.length > 0) prepared.events.push({ blockNumber: block.number, events: verified })
    })
    const emitters = dropped.all()
    for (const emitter of emitters) this.#registry.noteDropped(emitter)
    if (counts.unverified > 0 || counts.malformed > 0) this.#onDropped({ ...counts, emitters })
    // A denial that is not confirmed is stored with the rows.
    const denied = dropped.hulls().filter(({ emitter }) => !this.#registry.isConfirmedDenial(emitter))
    const skipped = new Set(prepared.skipped.map(({ number }) => number))
    const whole = blocksHops.filter(({ block }) => !skipped.has(block.number))
    const receipts = await this.#receipts(whole, at)
    const unpriced = blocksHops.map((hops): UnpricedBlock => {
      const { number, timestamp } = hops.block
      const trades = skipped.has(number) ? [] : toTrades(hops, this.#rules, receipts)
      return { number, timestamp, trades, created: this.#createdIn(hops.block) }
    })
    await this.#registry.readTokens(namedTokens(unpriced), at)
    return { ...prepared, denied, unpriced }
  }

  /** Prices trades. The book holds the state before the first block and is moved past the last. */
  price({ unpriced, ...prepared }: PreparedBlocks, book: ReferenceBook): Processed {
    const processed: Processed = { trades: [], ...prepared }
    const { events } = prepared
    let next = 0
    for (const block of unpriced) {
      for (const trade of this.#priced(block, book)) processed.trades.push(trade)
      const own = events[next]?.blockNumber === block.number ? events[next++]?.events : undefined
      for (const pool of recordReferences(block, own ?? [], book)) this.#onReference(pool)
    }
    return processed
  }

  /** Returns all logs of the transactions that have hops or orders. The logs must include these. */
  async #receipts(blocks: readonly BlockHops[], at: Hex | 'latest'): Promise<ReadonlyMap<Hex, readonly Log[]>> {
    const receipts = new Map<Hex, readonly Log[]>()
    const places: TransactionPlace[] = []
    for (const hops of blocks) {
      const { block } = hops
      const blockLogs = block.receipts === undefined ? logsByTransaction(block.logs) : null
      for (const { hash, transactionIndex } of tradingTransactions(hops)) {
        const logs = block.receipts?.logsOf(transactionIndex)
        if (logs) receipts.set(hash, logs)
        else places.push({ hash, blockHash: block.hash, logs: blockLogs?.get(transactionIndex) ?? [] })
      }
    }
    if (places.length === 0) return receipts
    const logs = await this.#chain.transactionLogs(places, at === 'latest' ? 'bulk' : 'live')
    places.forEach(({ hash }, index) => {
      receipts.set(hash, logs[index] ?? [])
    })
    return receipts
  }

  /** Returns an event; of a contract that pools depend on: a touch of each known one of them. */
  #touched(event: PoolEvent): PoolEvent[] {
    if (event.type !== 'dependency') return [event]
    return this.#registry.known.dependentsOf(event.pool).map((pool) => ({ ...event, type: 'touch', pool }))
  }

  #priced({ trades, number, timestamp }: UnpricedBlock, book: ReferenceBook): PricedTrade[] {
    if (trades.length === 0) return []
    const prices = book.pricesAt({ number, timestamp })
    const loops = closedLoops(trades, prices)
    return trades.map((made) => {
      const trade = comparedEnds(made, prices, (token) => this.#decimalsOf(token))
      const sold = this.#decimalsOf(trade.sell.token)
      const bought = this.#decimalsOf(trade.buy.token)
      const mark = loops.has(trade.transactionIndex) ? FLAG_CLOSED_LOOP : 0
      const priced = priceTrade(trade, prices, typeof sold === 'number' && typeof bought === 'number')
      priced.flags |= mark
      if (sold !== undefined && bought !== undefined) return priced
      const { usdE8, source, flags } = priceTrade(trade, prices, true)
      return { ...priced, awaited: { usdE8, source, flags: flags | mark } }
    })
  }

  /** Returns null if the token has no decimals, and undefined if they could not be read yet. */
  #decimalsOf(token: Address): number | null | undefined {
    return this.#registry.known.token(token)?.decimals
  }

  #createdIn({ logs }: Block): UnpricedBlock['created'] {
    const created: { pool: Creation; protocol: Protocol }[] = []
    for (const log of logs) {
      const protocol = this.#protocols.get(log.address)
      if (!protocol?.creation || log.topics[0] !== protocol.creation.topic) continue
      const pool = protocol.creation.read(log)
      if (pool !== null) created.push({ pool, protocol })
    }
    return created
  }
}

/** Moves the book past a block, and returns the reference pools that were created in it. */
function recordReferences(block: UnpricedBlock, events: readonly PoolEvent[], book: ReferenceBook): ReferencePool[] {
  const made: ReferencePool[] = []
  for (const { pool, protocol } of block.created) {
    const { token0, token1, lookupCall } = pool
    const lookup = book.isReference(pool)
      ? protocol.lookups(token0, token1).find(({ data }) => data === lookupCall())
      : undefined
    if (lookup === undefined) continue
    const reference = { address: pool.pool, token0, token1, tickSpacing: lookup.tickSpacing }
    book.addPool(reference, block.number)
    made.push(reference)
  }
  for (const event of events) {
    const change = book.has(event.pool) ? referenceEventOf(event) : null
    if (change !== null) book.record(event.pool, change, block)
  }
  return made
}
