import { setTimeout as delay } from 'node:timers/promises'
import {
  type Address,
  createMarket,
  type Market,
  MINUTE,
  type NetworkName,
  PassableTokens,
  type QuotablePool,
  SECOND,
  type TickLiquidityAt,
  UnreadPools,
  withWrapper,
} from '@dexfeed/dex'
import type { IndexedNetwork, MarketChanges, MarketSnapshot, Reader, TokenEvidence } from '@dexfeed/store'

/** Pools that are put into a new market before other work has its turn. */
const BUILD_SLICE = 500

/** While history is filled, commits come faster than anybody needs to follow. */
const BURST_GAP_MS = 25

/** Rows of final blocks that were replaced show in moves of tokens only when all are read again. */
const MOVES_LIFE_MS = 10 * MINUTE

/** How often it is asked which pools are still to be read. */
const UNREAD_LIFE_MS = 2 * SECOND

/** A market and how far its network was indexed when it was in this state. */
export interface LiveMarket {
  network: IndexedNetwork
  market: Market
  /** Pools that a quote does not know yet. */
  unread: UnreadPools
}

/** The moves of tokens between pools that are known, and since when (of the clock of timers). */
interface KnownMoves {
  tokens: PassableTokens
  readAt: number
}

/**
 * The market of one network, kept as the database has it. Changes are applied in one synchronous go, so that whoever
 * asks between two of them sees one block; what cannot be followed by changes (a rollback) is read anew and swapped in.
 */
export class LiveMarketFollower {
  readonly network: NetworkName
  readonly #reader: Pick<Reader, 'market' | 'marketChanges' | 'pools' | 'unreadPools'>
  #live: LiveMarket | null | undefined
  #moves: KnownMoves = noMoves()
  #unread = { pools: new UnreadPools(), readAt: Number.NEGATIVE_INFINITY }
  #running: Promise<void> | null = null
  #again = false

  constructor(network: NetworkName, reader: Pick<Reader, 'market' | 'marketChanges' | 'pools' | 'unreadPools'>) {
    this.network = network
    this.#reader = reader
  }

  /** Null: the network is not being indexed. Undefined: not known yet. */
  get current(): LiveMarket | null | undefined {
    return this.#live
  }

  /** Brings the market up to date. Calls that come meanwhile lead to one further round. */
  async refresh(): Promise<void> {
    if (this.#running !== null) {
      this.#again = true
      return this.#running
    }
    this.#running = this.#rounds()
    try {
      await this.#running
    } finally {
      this.#running = null
    }
  }

  async #rounds(): Promise<void> {
    await this.#round()
    while (this.#again) {
      await delay(BURST_GAP_MS)
      this.#again = false
      await this.#round()
    }
  }

  async #round(): Promise<void> {
    const isOld = performance.now() - this.#moves.readAt > MOVES_LIFE_MS
    const known = this.#live && (isOld ? { ...this.#live.network, covered: [] } : this.#live.network)
    const changes = known ? await this.#reader.marketChanges(this.network, known) : null
    if (!this.#live || changes === null) {
      this.#live = await this.#load()
      return
    }
    const { market } = this.#live
    const fresh = await this.#unknownPools(market, changes)
    if (isOld) this.#moves = noMoves()
    const unread = await this.#unreadPools(changes.network.wrappedNative)
    applyChanges(market, fresh, changes)
    market.setPassable(this.#passable(changes))
    this.#live = { market, network: changes.network, unread }
  }

  async #load(): Promise<LiveMarket | null> {
    const snapshot = await this.#reader.market(this.network)
    if (snapshot === null) return null
    const unread = await this.#unreadPools(snapshot.network.wrappedNative)
    const market = await buildMarket(snapshot)
    this.#moves = noMoves()
    market.setPassable(this.#passable(snapshot))
    return { network: snapshot.network, market, unread }
  }

  /** The tokens that routes may lead through, by what was known and what is new. */
  #passable({ network, trusted, moves }: TokenEvidence & { network: IndexedNetwork }): ReadonlySet<Address> {
    const { tokens } = this.#moves
    tokens.add(moves)
    return new Set([...trusted, ...tokens.at(network.head?.timestamp ?? 0)])
  }

  /** The pools that are still to be read, as they were at most some seconds ago. */
  async #unreadPools(wrappedNative: Address): Promise<UnreadPools> {
    const now = performance.now()
    if (now - this.#unread.readAt < UNREAD_LIFE_MS) return this.#unread.pools
    const pools = await this.#reader.unreadPools(this.network)
    this.#unread = { pools: new UnreadPools(pools.map((pool) => withWrapper(pool, wrappedNative))), readAt: now }
    return this.#unread.pools
  }

  async #unknownPools(market: Market, { states, ticks }: MarketChanges): Promise<QuotablePool[]> {
    const addresses = new Set([...states, ...ticks].map(({ pool }) => pool))
    const unknown = [...addresses].filter((address) => market.pool(address) === null)
    return unknown.length === 0 ? [] : this.#reader.pools(this.network, unknown)
  }
}

async function buildMarket({ network, pools, states, ticks, distrusted }: MarketSnapshot): Promise<Market> {
  const market = createMarket()
  const wrong = new Set(distrusted)
  const stateOf = new Map(states.map((at) => [at.pool, at.state]))
  const ticksOf = ticksByPool(ticks)
  for (let at = 0; at < pools.length; at += BUILD_SLICE) {
    for (const pool of pools.slice(at, at + BUILD_SLICE)) {
      market.upsertPool(withWrapper(pool, network.wrappedNative))
      if (pool.tickSpacing !== null) market.setTicks(pool.address, ticksOf.get(pool.address) ?? [])
      market.setState(pool.address, wrong.has(pool.address) ? null : (stateOf.get(pool.address) ?? null))
    }
    await new Promise((resolve) => setImmediate(resolve))
  }
  return market
}

/** Everything of one commit, without a gap in which a quote could see half of it. */
function applyChanges(
  market: Market,
  newPools: readonly QuotablePool[],
  { network, states, ticks, distrusted }: MarketChanges,
): void {
  const ticksOf = ticksByPool(ticks)
  for (const pool of newPools) {
    market.upsertPool(withWrapper(pool, network.wrappedNative))
    if (pool.tickSpacing === null) continue
    market.setTicks(pool.address, ticksOf.get(pool.address) ?? [])
    ticksOf.delete(pool.address)
  }
  for (const [pool, changed] of ticksOf) for (const tick of changed) market.applyTick(pool, tick)
  for (const { pool, state } of states) market.setState(pool, state)
  // The snapshot that makes one trusted again brings its state with it.
  for (const pool of distrusted) if (market.pool(pool) !== null) market.setState(pool, null)
}

function ticksByPool(ticks: readonly TickLiquidityAt[]): Map<Address, TickLiquidityAt[]> {
  const byPool = new Map<Address, TickLiquidityAt[]>()
  for (const tick of ticks) {
    const known = byPool.get(tick.pool)
    if (known === undefined) byPool.set(tick.pool, [tick])
    else known.push(tick)
  }
  return byPool
}

function noMoves(): KnownMoves {
  return { tokens: new PassableTokens(), readAt: performance.now() }
}
