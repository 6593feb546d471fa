import type { TransactionPlace } from '@dexfeed/chain'
import {
  type Address,
  type AnchorPrices,
  type Block,
  type BlockHops,
  type BlockPoint,
  blockHops,
  closedLoops,
  comparedEnds,
  createdPool,
  creationTopics,
  type Deployment,
  decode,
  decodersOf,
  type EventDecoder,
  everyAnchor,
  FLAG_CLOSED_LOOP,
  type Hex,
  isCreation,
  type LiquidityMove,
  type Log,
  liquidityMoves,
  logsByTransaction,
  moveValueE8,
  orderTopics,
  type PoolAddress,
  type PoolCreation,
  type PoolEvent,
  type PricedMove,
  type PricedTrade,
  type Protocol,
  present,
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
import type { VenueCounts } from './venue-counts.ts'

interface WatchedContracts {
  dexes: Deployment['dexes']
  settlements?: Deployment['settlements']
}

export function watchedTopics({ dexes, settlements = [] }: WatchedContracts): Hex[] {
  const kinds = dexes.map(({ kind }) => kind)
  const creations = kinds.flatMap((kind) => creationTopics(protocolOf(kind)))
  const topics = [...decodersOf(kinds).keys()].filter((topic) => topic !== WITHOUT_TOPIC)
  return [...new Set([...topics, ...creations, ...orderTopics(settlements)])]
}

export interface BlockEvents {
  blockNumber: number
  events: readonly PoolEvent[]
}

export function poolsOf(blocks: readonly BlockEvents[]): Set<Address> {
  return new Set(blocks.flatMap(({ events }) => events.map(({ pool }) => pool)))
}

interface BlocksWithHops {
  hops: readonly BlockHops['transactions'][number][]
  events: readonly BlockEvents[]
  /** Of the blocks that are not skipped. */
  creations: PoolCreation[]
  denied: UnconfirmedDenial[]
  skipped: SkippedBlock[]
}

/** A block with swaps in pools whose keys are not known yet. */
export interface SkippedBlock {
  number: number
  pools: readonly PoolAddress[]
}

interface SortedEvents {
  block: Block
  verified: readonly PoolEvent[]
  unverified: readonly PoolEvent[]
  keyless: readonly PoolAddress[]
}

type ReferenceCreation = NonNullable<ReturnType<NonNullable<Protocol['creation']>['read']>>

/** What a configured factory or vault logged about a pool, which is not verified yet. */
interface LoggedCreation {
  event: PoolEvent
  log: Log
  protocol: Protocol
}

/** Holds only what pricing needs, because logs and receipts take a lot of memory. */
interface UnpricedBlock extends BlockPoint {
  trades: readonly Trade[]
  moves: readonly LiquidityMove[]
  created: readonly { pool: ReferenceCreation; protocol: Protocol }[]
}

export interface PreparedBlocks extends BlocksWithHops {
  unpriced: readonly UnpricedBlock[]
}

export interface Processed extends BlocksWithHops {
  trades: PricedTrade[]
  moves: PricedMove[]
}

export interface DroppedLogs {
  unverified: number
  malformed: number
  emitters: readonly DroppedEmitter[]
}

interface ProcessorOptions {
  onDropped?: ((logs: DroppedLogs) => void) | undefined
  references?: { expect(pool: ReferencePool): void }
  /** If set, counts unexplained receipts by parsing one block in eight. */
  venues?: VenueCounts | undefined
}

export interface ReceiptReader {
  transactionLogs(places: readonly TransactionPlace[], priority: 'live' | 'bulk'): Promise<Log[][]>
}

/** Turns blocks into rows, for live blocks and history alike. ARCHITECTURE.md lists the steps. */
export class BlockProcessor {
  readonly #registry: PoolRegistry
  readonly #chain: ReceiptReader
  readonly #rules: TradeRules
  readonly #decoders: ReadonlyMap<Hex, EventDecoder>
  readonly #protocols: ReadonlyMap<Address, Protocol>
  readonly #options: ProcessorOptions

  constructor(deployment: Deployment, registry: PoolRegistry, chain: ReceiptReader, options: ProcessorOptions = {}) {
    this.#registry = registry
    this.#chain = chain
    this.#rules = tradeRules(deployment)
    this.#decoders = decodersOf(deployment.dexes.map(({ kind }) => kind))
    this.#protocols = new Map(deployment.dexes.map(({ factory, kind }) => [factory, protocolOf(kind)]))
    this.#options = options
  }

  /** Processes ascending blocks. Contracts are called at block `at`. */
  async process(
    blocks: readonly Block[],
    book: ReferenceBook,
    at: Hex | 'latest',
    options: ResolveOptions = {},
  ): Promise<Processed> {
    return this.price(await this.prepare(blocks, at, options), book)
  }

  /** Sends all requests that blocks need. Depends on no earlier block, so parts can run in parallel. */
  async prepare(blocks: readonly Block[], at: Hex | 'latest', options: ResolveOptions = {}): Promise<PreparedBlocks> {
    const decoded = blocks.map((block) => this.#decode(block))
    const emitted = decoded.flatMap(({ events }) => events)
    const unresolved = await this.#registry.resolve(emitted, at, options)
    const sorted = blocks.map((block, index) => this.#sortEvents(block, decoded[index]?.events ?? [], unresolved))
    const denied = this.#noteDropped(
      sorted,
      decoded.reduce((sum, { malformed }) => sum + malformed, 0),
    )
    const hops = sorted.map(({ block, verified }) => this.#hopsOf(block, verified))
    const skipped = sorted.flatMap(({ block, keyless }) =>
      keyless.length > 0 ? [{ number: block.number, pools: keyless }] : [],
    )
    const left = new Set(skipped.map(({ number }) => number))
    const whole = hops.filter(({ block }) => !left.has(block.number))
    const receipts = await this.#receipts(whole, at)
    const unpriced = sorted.map((events, index) => ({
      ...this.#unpricedBlock(events, left.has(events.block.number) ? null : (hops[index] ?? null), receipts),
      created: referenceCreations(decoded[index]?.created ?? []),
    }))
    await this.#registry.readTokens(namedTokens(unpriced), at)
    return {
      hops: hops.flatMap(({ transactions }) => transactions),
      events: sorted.flatMap(({ block, verified: events }) =>
        events.length > 0 ? [{ blockNumber: block.number, events }] : [],
      ),
      creations: sorted.flatMap((events, index) =>
        left.has(events.block.number) ? [] : this.#creationsOf(events, decoded[index]?.created ?? []),
      ),
      skipped,
      denied,
      unpriced,
    }
  }

  /** Prices prepared blocks. Moves `book` from the state before the first block to the state after the last. */
  price({ unpriced, ...prepared }: PreparedBlocks, book: ReferenceBook): Processed {
    const eventsOf = new Map(prepared.events.map(({ blockNumber, events }) => [blockNumber, events]))
    const trades: PricedTrade[] = []
    const moves: PricedMove[] = []
    for (const block of unpriced) {
      if (block.trades.length + block.moves.length > 0) {
        const prices = book.pricesAt(block)
        for (const trade of this.#pricedTrades(block.trades, prices)) trades.push(trade)
        for (const move of this.#pricedMoves(block.moves, prices)) moves.push(move)
      }
      const created = recordReferences(block, eventsOf.get(block.number) ?? [], book)
      for (const pool of created) this.#options.references?.expect(pool)
    }
    return { ...prepared, trades, moves }
  }

  async verifyEmitters(blocks: readonly Block[]): Promise<void> {
    const events = blocks.flatMap((block) => this.#decode(block).events)
    await this.#registry.resolve(events, 'latest', { deferKeys: true, recheckDenied: true })
  }

  /** Decodes the events of pools, with one for each pool that a configured factory or vault creates. */
  #decode(block: Block) {
    const decoded = decode(block, this.#decoders)
    const created = block.logs.flatMap((log) => this.#loggedCreation(log) ?? [])
    if (created.length === 0) return { ...decoded, created }
    const events = [...decoded.events, ...created.map(({ event }) => event)]
    // Events of a transaction must be adjacent.
    events.sort((a, b) => a.transactionIndex - b.transactionIndex || a.logIndex - b.logIndex)
    return { ...decoded, events, created }
  }

  #loggedCreation(log: Log): LoggedCreation | null {
    const protocol = this.#protocols.get(log.address)
    const pool = protocol === undefined ? null : createdPool(protocol, log)
    if (protocol === undefined || pool === null) return null
    const { transactionIndex, logIndex } = log
    const event = { type: 'created', family: protocol.family, pool, transactionIndex, logIndex } as const
    return { event, log, protocol }
  }

  /** Returns the creations of verified pools. A factory's word counts only for its own pools. */
  #creationsOf({ block, verified }: SortedEvents, logged: readonly LoggedCreation[]): PoolCreation[] {
    const { pools } = this.#registry.known
    const own = logged.filter(({ event, log }) => pools.get(event.pool)?.dex.factory === log.address)
    const events = [...own.map(({ event }) => event), ...verified.filter(isCreation)]
    return events.map(({ pool, transactionIndex }) => {
      const { hash: txHash, from: creator } = present(block.transactions.get(transactionIndex))
      return { pool, blockNumber: block.number, timestamp: block.timestamp, transactionIndex, txHash, creator }
    })
  }

  #sortEvents(block: Block, decoded: readonly PoolEvent[], unresolved: ReadonlySet<PoolAddress>): SortedEvents {
    const { pools } = this.#registry.known
    const events = decoded.flatMap((event) => this.#touched(event))
    const traded = events.filter(({ type, pool }) => isTrade(type) && unresolved.has(pool))
    return {
      block,
      verified: events.filter(({ pool }) => pools.has(pool)),
      unverified: events.filter(({ pool }) => !pools.has(pool) && !unresolved.has(pool)),
      keyless: [...new Set(traded.map(({ pool }) => pool))],
    }
  }

  /** Turns an event of a contract that pools depend on into one touch per pool. */
  #touched(event: PoolEvent): PoolEvent[] {
    if (event.type !== 'dependency') return [event]
    return this.#registry.known.dependentsOf(event.pool).map((pool) => ({ ...event, type: 'touch', pool }))
  }

  #noteDropped(sorted: readonly SortedEvents[], malformed: number): UnconfirmedDenial[] {
    const events = sorted.flatMap(({ block: { number }, unverified }) =>
      unverified.map(({ pool }) => ({ emitter: pool, from: number, to: number })),
    )
    if (events.length === 0 && malformed === 0) return []
    const dropped = new DroppedEvents()
    for (const event of events) dropped.note(event)
    const emitters = dropped.all()
    for (const emitter of emitters) this.#registry.noteDropped(emitter)
    this.#options.onDropped?.({ unverified: events.length, malformed, emitters })
    return dropped.hulls().filter(({ emitter }) => !this.#registry.isConfirmedDenial(emitter))
  }

  #hopsOf(block: Block, events: readonly PoolEvent[]): BlockHops {
    const hops = blockHops(block, events, this.#registry.known.pools, this.#rules)
    this.#options.venues?.note(hops)
    return hops
  }

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

  #unpricedBlock(
    { block, verified }: SortedEvents,
    hops: BlockHops | null,
    receipts: ReadonlyMap<Hex, readonly Log[]>,
  ): Omit<UnpricedBlock, 'created'> {
    const { number, timestamp } = block
    return {
      number,
      timestamp,
      trades: hops === null ? [] : toTrades(hops, this.#rules, receipts),
      moves: hops === null ? [] : liquidityMoves(block, verified, this.#registry.known.pools),
    }
  }

  #pricedTrades(trades: readonly Trade[], prices: AnchorPrices): PricedTrade[] {
    if (trades.length === 0) return []
    const loops = closedLoops(trades, prices)
    return trades.flatMap((made): PricedTrade[] => {
      const trade = comparedEnds(made, prices, (token) => this.#decimalsOf(token))
      if (trade === null) return []
      const sold = this.#decimalsOf(trade.sell.token)
      const bought = this.#decimalsOf(trade.buy.token)
      const loopFlag = loops.has(trade.transactionIndex) ? FLAG_CLOSED_LOOP : 0
      const priced = priceTrade(trade, prices, typeof sold === 'number' && typeof bought === 'number')
      priced.flags |= loopFlag
      if (sold !== undefined && bought !== undefined) return [priced]
      const { usdE8, source, flags } = priceTrade(trade, prices, true)
      return [{ ...priced, awaited: { usdE8, source, flags: flags | loopFlag } }]
    })
  }

  #pricedMoves(moves: readonly LiquidityMove[], prices: AnchorPrices): PricedMove[] {
    if (moves.length === 0) return []
    const anchors = everyAnchor(prices)
    return moves.map((move) => ({ ...move, usdE8: moveValueE8(move, anchors, this.#rules.wrappedNative) }))
  }

  /** Returns null if the token has no decimals, or undefined if they are not read yet. */
  #decimalsOf(token: Address): number | null | undefined {
    return this.#registry.known.tokens.get(token)?.decimals
  }
}

function namedTokens(blocks: readonly UnpricedBlock[]): Address[] {
  const tokens = new Set<Address>()
  for (const { trades } of blocks) for (const { sell, buy } of trades) tokens.add(sell.token).add(buy.token)
  return [...tokens]
}

function referenceCreations(created: readonly LoggedCreation[]): UnpricedBlock['created'] {
  return created.flatMap(({ log, protocol }) => {
    const pool = protocol.creation?.read(log) ?? null
    return pool === null ? [] : [{ pool, protocol }]
  })
}

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
