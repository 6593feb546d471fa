import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises'
import {
  type Address,
  type AnchorPrice,
  type Market,
  type MarketPrices,
  type NetworkName,
  type PoolAddress,
  type PoolInState,
  type QuotablePool,
  SECOND,
  UnreadPools,
  withWrapper,
} from '@dexfeed/dex'
import type { IndexedNetwork, MarketChanges, MarketFrame, Reader } from '@dexfeed/store'
import { applyChanges, changedPools, countChanges, KnownBlocks } from './apply-changes.ts'
import { DustPools } from './dust-pools.ts'
import { KnownMoves } from './known-moves.ts'
import { loadMarket } from './load-market.ts'
import { warmUp } from './warm-up.ts'

/** During a backfill, commits arrive faster than quotes need them. */
const BURST_GAP_MS = 25
const UNREAD_LIFE_MS = 2 * SECOND
/** Applied in one turn of the event loop, in some ten milliseconds. */
const SLICE_CHANGES = 2_000
const POOLS_PAGE = 2_000

export interface LiveMarket {
  network: IndexedNetwork
  market: Market
  unread: UnreadPools
  moves: KnownMoves
  /**
   * Prices in this state, computed on demand. Kept here, because minor garbage collections do not free the values of a
   * WeakMap.
   */
  priced?: PricedMarket
}

export interface PricedMarket {
  /** Which reference pools the anchors' prices come from. */
  references: object | undefined
  anchors: ReadonlyMap<Address, AnchorPrice>
  prices: MarketPrices<AnchorPrice>
}

interface Unread {
  rows: readonly QuotablePool[]
  pools: UnreadPools
  readAt: number
}

type MarketReader = Pick<Reader, 'market' | 'marketChanges' | 'tokenMoves' | 'pools' | 'unreadPools' | 'tokens'>

/**
 * Keeps the market of one network equal to the database. Changes, including rollbacks, are applied in one synchronous
 * step, so that a quote sees one block; large changes are applied in slices while quotes wait. If changes cannot be
 * followed, the old market is dropped before a new one is loaded, so that memory never holds two.
 */
export class LiveMarketFollower {
  readonly network: NetworkName
  readonly #reader: MarketReader
  readonly #blocks = new KnownBlocks()
  readonly #moves = new KnownMoves()
  #dust: DustPools
  #live: LiveMarket | null | undefined
  #changing: Promise<void> | null = null
  #context: string | null = null
  #unread: Unread = { rows: [], pools: new UnreadPools(), readAt: Number.NEGATIVE_INFINITY }
  #idleBelow = 0
  #running: Promise<void> | null = null
  #again = false

  constructor(network: NetworkName, reader: MarketReader) {
    this.network = network
    this.#reader = reader
    this.#dust = new DustPools(reader)
  }

  /** Not for quotes while it is changing. */
  get current(): LiveMarket | null | undefined {
    return this.#live
  }

  get changing(): Promise<void> | null {
    return this.#changing
  }

  refresh(): Promise<void> {
    this.#again = true
    this.#running ??= this.#rounds()
    return this.#running
  }

  async #rounds(): Promise<void> {
    try {
      for (let isFirst = true; this.#again; isFirst = false) {
        if (!isFirst) await delay(BURST_GAP_MS)
        this.#again = false
        await this.#round()
      }
    } finally {
      this.#running = null
    }
  }

  async #round(): Promise<void> {
    if (this.#live && (await this.#follow(this.#live))) return
    // Nothing may reference the old market from here on.
    if (this.#live) this.#live = undefined
    this.#live = await this.#load()
  }

  async #follow(live: LiveMarket): Promise<boolean> {
    // Read before the states, because a pool is no longer unread once its state is stored.
    await this.#readUnread(live.network.wrappedNative)
    const changes = await this.#changes(live)
    if (changes === null) return false
    await this.#addInvalidated(changes)
    const unread = this.#unread.pools
    const newPools = await this.#unknownPools(live.market, changes)
    await this.#moves.update(this.#reader, changes, changes.rollback?.ancestor ?? null)
    const { prices } = this.#dust
    await this.#dust.refresh(live.market, changes.network)
    const isSame = this.#isSame(live, changes, unread) && this.#dust.prices === prices
    const end = () => {
      for (const [token, standing] of this.#moves.changes(changes)) live.market.pass(token, standing)
      if (this.#dust.prices !== prices) live.market.setPrices(this.#dust.prices)
      this.#idleBelow = changes.idleBelow
      if (changes.network.head !== null) live.market.setTime(changes.network.head.timestamp)
      // Cached quotes are valid while this object is the same.
      if (!isSame) this.#live = { market: live.market, network: changes.network, unread, moves: this.#moves }
    }
    const isDust = (pool: PoolInState) => this.#dust.has(pool)
    const steps = applyChanges({ market: live.market, blocks: this.#blocks, isDust }, newPools, changes)
    await this.#apply(steps, countChanges(changes) > SLICE_CHANGES, end)
    return true
  }

  #isSame(live: LiveMarket, changes: MarketChanges, unread: UnreadPools): boolean {
    const { network, trusted, invalidated, rollback } = changes
    const context = [network.head?.hash, this.#moves.version, ...trusted, '', ...invalidated.toSorted()].join()
    const isSameContext = context === this.#context
    this.#context = context
    return isSameContext && rollback === null && countChanges(changes) === 0 && unread === live.unread
  }

  #changes({ network: { revision, reorgs }, market }: LiveMarket): Promise<MarketChanges | null> {
    const poolsAbove = (block: number) => this.#blocks.above(block)
    const holds = (pool: PoolAddress) => market.pool(pool) !== null
    const known = { revision, reorgs, idleBelow: this.#idleBelow, poolsAbove, holds }
    return this.#reader.marketChanges(this.network, known)
  }

  async #apply(steps: Generator<undefined, void>, isLarge: boolean, end: () => void): Promise<void> {
    let settle: () => void = () => undefined
    if (isLarge) {
      this.#changing = new Promise((resolve) => {
        settle = resolve
      })
    }
    try {
      while (!steps.next().done) if (isLarge) await turn()
      end()
    } catch (error) {
      // A half-applied change leaves the market unusable.
      this.#live = undefined
      throw error
    } finally {
      this.#changing = null
      settle()
    }
  }

  async #load(): Promise<LiveMarket | null> {
    const unreadAt = performance.now()
    const rows = await this.#reader.unreadPools(this.network)
    const loaded = await loadMarket(this.#reader, this.network, this.#blocks)
    if (loaded === null) return null
    const { market, frame } = loaded
    this.#idleBelow = frame.idleBelow
    this.#moves.forget()
    await this.#moves.update(this.#reader, frame, null)
    this.#unread = unreadOf(rows, unreadAt, frame.network.wrappedNative)
    await this.#addInvalidated(frame)
    const passable = this.#moves.changes(frame)
    for (let at = 0; at < passable.length; at += SLICE_CHANGES) {
      for (const [token, standing] of passable.slice(at, at + SLICE_CHANGES)) market.pass(token, standing)
      await turn()
    }
    this.#dust = new DustPools(this.#reader)
    await this.#dust.refresh(market, frame.network)
    await this.#dust.removeFrom(market)
    market.setPrices(this.#dust.prices)
    await warmUp(market, frame.trusted)
    return { network: frame.network, market, unread: this.#unread.pools, moves: this.#moves }
  }

  async #readUnread(wrappedNative: Address): Promise<void> {
    const now = performance.now()
    if (now - this.#unread.readAt < UNREAD_LIFE_MS) return
    this.#unread = unreadOf(await this.#reader.unreadPools(this.network), now, wrappedNative)
  }

  /** Pools become unread as soon as they leave the market because they are invalid. */
  async #addInvalidated({ invalidated, network }: MarketFrame): Promise<void> {
    const { rows, readAt } = this.#unread
    const unread = new Set(rows.map(({ address }) => address))
    const missing = invalidated.filter((pool) => !unread.has(pool))
    if (missing.length === 0) return
    const added = await this.#reader.pools(this.network, missing)
    if (added.length > 0) this.#unread = unreadOf([...rows, ...added], readAt, network.wrappedNative)
  }

  async #unknownPools(market: Market, changes: MarketChanges & MarketFrame): Promise<QuotablePool[]> {
    const unknown = changedPools(changes).filter((address) => market.pool(address) === null)
    const pools: QuotablePool[] = []
    for (let at = 0; at < unknown.length; at += POOLS_PAGE) {
      for (const pool of await this.#reader.pools(this.network, unknown.slice(at, at + POOLS_PAGE))) {
        pools.push(withWrapper(pool, changes.network.wrappedNative))
      }
    }
    return pools
  }
}

function unreadOf(rows: readonly QuotablePool[], readAt: number, wrappedNative: Address): Unread {
  return { rows, pools: new UnreadPools(rows.map((pool) => withWrapper(pool, wrappedNative))), readAt }
}
