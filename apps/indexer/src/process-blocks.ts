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
import type { PoolRegistry } from './pool-registry.ts'

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
   */
  async process(blocks: readonly Block[], book: ReferenceBook, at: Hex | 'latest'): Promise<Processed> {
    const decoded = blocks.map((block) => decode(block, this.#decoders))
    await this.#registry.resolve(
      decoded.flatMap(({ events }) => events),
      at,
    )
    const processed: Processed = { trades: [], events: [], foreign: 0, malformed: 0 }
    blocks.forEach((block, index) => {
      const { events = [], malformed = 0 } = decoded[index] ?? {}
      const authentic = events.filter(({ pool }) => this.#registry.pools.has(pool))
      processed.foreign += events.length - authentic.length
      processed.malformed += malformed
      processed.trades.push(...this.#pricedTrades(block, authentic, book))
      this.#recordReferences(block, authentic, book)
      if (authentic.length > 0) processed.events.push({ blockNumber: block.number, events: authentic })
    })
    return processed
  }

  #pricedTrades(block: Block, events: readonly PoolEvent[], book: ReferenceBook): PricedTrade[] {
    const { trades } = toTrades(block, events, this.#registry.pools, this.#deployment.wrappedNative)
    if (trades.length === 0) return []
    const prices = book.pricesAt(block.timestamp)
    return trades.map((trade) => {
      const [sold, bought] = [this.#decimalsOf(trade.sell.token), this.#decimalsOf(trade.buy.token)]
      const priced = priceTrade(trade, prices, typeof sold === 'number' && typeof bought === 'number')
      if (sold !== undefined && bought !== undefined) return priced
      const { usdE8, source, flags } = priceTrade(trade, prices, true)
      return { ...priced, awaited: { usdE8, source, flags } }
    })
  }

  /** Null: the token has none. Undefined: it could not be asked yet. */
  #decimalsOf(token: Address): number | null | undefined {
    return this.#registry.token(token)?.decimals
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
