import {
  type Address,
  type Block,
  type Deployment,
  decode,
  decodersOf,
  type EventDecoder,
  type Hex,
  type PoolEvent,
  type PricedTrade,
  priceStateOf,
  priceTrade,
  protocolOf,
  type ReferenceBook,
  toTrades,
} from '@dexfeed/dex'
import { isTrade, type PoolRegistry, type ResolveOptions } from './pool-registry.ts'

/** The events of one block whose emitters are authentic pools. */
export interface BlockEvents {
  blockNumber: number
  events: readonly PoolEvent[]
}

export interface Processed {
  trades: PricedTrade[]
  /** What moves pool state, in order. */
  events: BlockEvents[]
  /** Logs with our topics from contracts that no factory vouches for. */
  foreign: number
  malformed: number
  /** Blocks with swaps of pools whose keys are not known yet. None of their trades is told: they are to be done again. */
  left: number[]
}

/** Turns blocks into rows. The same for live blocks and for backfill: the way of a block (DESIGN, section 3). */
export class BlockProcessor {
  readonly #deployment: Deployment
  readonly #registry: PoolRegistry
  readonly #decoders: ReadonlyMap<Hex, EventDecoder>

  constructor(deployment: Deployment, registry: PoolRegistry) {
    this.#deployment = deployment
    this.#registry = registry
    this.#decoders = decodersOf(deployment.dexes.map(({ kind }) => kind))
  }

  /**
   * @param blocks ascending; the book holds the state before the first of them and is moved past the last
   * @param at where the contracts of these blocks can be asked
   * @param options whether keys of pools are waited for, or blocks that need them left
   */
  async process(
    blocks: readonly Block[],
    book: ReferenceBook,
    at: Hex | 'latest',
    options: ResolveOptions = {},
  ): Promise<Processed> {
    const decoded = blocks.map((block) => decode(block, this.#decoders))
    const open = await this.#registry.resolve(
      decoded.flatMap(({ events }) => events),
      at,
      options,
    )
    const processed: Processed = { trades: [], events: [], foreign: 0, malformed: 0, left: [] }
    blocks.forEach((block, index) => {
      const { events = [], malformed = 0 } = decoded[index] ?? {}
      const authentic = events.filter(({ pool }) => this.#registry.pools.has(pool))
      const isLeft = open.size > 0 && events.some(({ type, pool }) => isTrade(type) && open.has(pool))
      processed.foreign += events.filter(({ pool }) => !this.#registry.pools.has(pool) && !open.has(pool)).length
      processed.malformed += malformed
      if (isLeft) processed.left.push(block.number)
      else processed.trades.push(...this.#pricedTrades(block, authentic, book))
      this.#recordReferences(block, authentic, book)
      if (authentic.length > 0) processed.events.push({ blockNumber: block.number, events: authentic })
    })
    return processed
  }

  #pricedTrades(block: Block, events: readonly PoolEvent[], book: ReferenceBook): PricedTrade[] {
    const { trades } = toTrades(block, events, this.#registry.pools, this.#deployment.wrappedNative)
    if (trades.length === 0) return []
    const prices = book.pricesAt(block.timestamp)
    return trades.map((trade) =>
      priceTrade(trade, prices, this.#isStateable(trade.sell.token) && this.#isStateable(trade.buy.token)),
    )
  }

  #isStateable(token: Address): boolean {
    return (this.#registry.token(token)?.decimals ?? null) !== null
  }

  #recordReferences(block: Block, events: readonly PoolEvent[], book: ReferenceBook): void {
    for (const log of block.logs) {
      const protocol = this.#protocolOfFactory(log.address)
      if (!protocol?.creation || log.topics[0] !== protocol.creation.topic) continue
      const created = protocol.creation.read(log)
      if (created === null || !book.isReference(created)) continue
      const { token0, token1, lookupCall } = created
      if (protocol.lookupCalls(token0, token1).includes(lookupCall)) {
        book.addPool({ address: created.pool, token0, token1 })
      }
    }
    for (const event of events) {
      const state = book.has(event.pool) ? priceStateOf(event) : null
      if (state !== null) book.record(event.pool, state, block.timestamp)
    }
  }

  #protocolOfFactory(address: Address) {
    const dex = this.#deployment.dexes.find(({ factory }) => factory === address)
    return dex === undefined ? null : protocolOf(dex.kind)
  }
}
