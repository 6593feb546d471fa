import type { AnchorPrice } from '../anchor-prices.ts'
import { type Address, ZERO_ADDRESS } from '../chain/hex.ts'
import { coinsOf, type QuotablePool } from '../pool.ts'
import { FEE_UNITS, type FormulaState, type PoolState, type TickLiquidity } from '../pool-state.ts'
import { formulaKind } from '../venues/registry.ts'
import { holds } from './pool-maths/held-amounts.ts'
import type { PairOfCoins, PoolInState } from './pool-maths/pool-in-state.ts'
import { TickList, TickTable } from './pool-maths/tick-list.ts'
import { RouteGraph, type Standing } from './route-search/route-graph.ts'

/** A pool with its known state, for the first filling of a market. */
export interface MarketSeed {
  pool: QuotablePool
  state: PoolState | null
  /** All initialised ticks of a concentrated-liquidity pool. */
  ticks?: Iterable<TickLiquidity>
}

/** Returns a market of `seeds`. Routes of several pools use only `listed` tokens between; null: any. */
export function createMarket(seeds: Iterable<MarketSeed> = [], listed: ReadonlySet<Address> | null = null): Market {
  const market = new Market(listed)
  for (const seed of seeds) {
    market.upsertPool(seed.pool)
    if (seed.ticks !== undefined) market.setTicks(seed.pool.address, seed.ticks)
    if (seed.state !== null) market.setState(seed.pool.address, seed.state)
  }
  return market
}

interface Entry extends PoolInState {
  pool: QuotablePool
  state: PoolState | null
  formula: PairOfCoins | null
  /**
   * The entries for this pool in the graph: the pool itself, or one view for each pair of a formula's coins. Empty if
   * the pool cannot trade.
   */
  linked: PoolInState[]
  /** Whether the pool is deep; null until it is computed. */
  isDeep: boolean | null
}

/** A deep pool holds at least this much: 1,000 USD, times 10^8. */
const DEEP_E8 = 100_000_000_000n

/**
 * The pools of one network with their current state, as a graph of tokens. Changes and quotes are synchronous, so a
 * quote between two changes sees one state. Pools that cannot trade are kept, but no route uses them: they have no
 * state, an empty reserve, no price, no ticks, a fee that other contracts set, or a state that is too old.
 *
 * A change throws if the market does not hold the pool, or holds it as the other kind.
 */
export class Market {
  readonly #pools = new Map<Address, Entry>()
  readonly #ticks = new TickTable()
  /** Pools whose state is too old after some time. */
  readonly #aging = new Set<Entry>()
  #now = 0
  #prices: ReadonlyMap<Address, AnchorPrice> = new Map()
  /** For the search of routes; only the market changes it. */
  readonly graph: RouteGraph

  /** @param listed as for `createMarket` */
  constructor(listed: ReadonlySet<Address> | null) {
    this.graph = new RouteGraph(listed)
  }

  /** Returns the pool with its ticks, as a live view of the current state; null if the market does not hold it. */
  pool(address: Address): PoolInState | null {
    return this.#pools.get(address) ?? null
  }

  /** All pools as they are now. A caller that pauses may see some pools before a change and others after it. */
  pools(): Iterable<PoolInState> {
    return this.#pools.values()
  }

  /** Adds a pool without state, or applies a changed fee or DEX of a known one. */
  upsertPool(pool: QuotablePool): void {
    const entry = this.#pools.get(pool.address)
    if (entry === undefined || entry.pool.tickSpacing !== pool.tickSpacing) {
      this.removePool(pool.address)
      const ticks = pool.tickSpacing === null ? null : new TickList(pool.tickSpacing, [], this.#ticks)
      this.#pools.set(pool.address, { pool, state: null, ticks, formula: null, linked: [], isDeep: null })
      return
    }
    if (String(coinsOf(entry.pool)) !== String(coinsOf(pool))) this.#unlink(entry)
    entry.pool = pool
    this.#refresh(entry)
  }

  /** Replaces the state of a pool; null removes it (ticks stay). */
  setState(pool: Address, state: PoolState | null): void {
    const entry = this.#entry(pool)
    if (state !== null && (state.kind === 'concentrated') !== (entry.ticks !== null)) {
      throw new Error(`pool ${pool} cannot have the state of a ${state.kind} pool`)
    }
    if ((entry.state?.kind === 'formula') !== (state?.kind === 'formula')) this.#unlink(entry)
    entry.state = state
    entry.formula = state?.kind === 'formula' ? formulaOf(state) : null
    this.#aging.delete(entry)
    if (state?.kind === 'formula' && state.freshUntil !== null) this.#aging.add(entry)
    this.#refresh(entry)
  }

  /** Replaces all ticks of a pool. */
  setTicks(pool: Address, ticks: Iterable<TickLiquidity>): void {
    const entry = this.#entry(pool)
    ticksOf(entry).replace(ticks)
    this.#refresh(entry)
  }

  /** Sets one tick to its new totals; gross 0 removes it. */
  applyTick(pool: Address, tick: TickLiquidity): void {
    const entry = this.#entry(pool)
    ticksOf(entry).apply(tick)
    this.#refresh(entry)
  }

  /** Returns false if the market does not hold the pool. */
  removePool(pool: Address): boolean {
    const entry = this.#pools.get(pool)
    if (entry === undefined) return false
    this.#unlink(entry)
    this.#aging.delete(entry)
    entry.ticks?.clear()
    return this.#pools.delete(pool)
  }

  /** Changes why routes may pass through a token; null: they may not. Does nothing if all tokens are listed. */
  pass(token: Address, standing: Standing | null): void {
    this.graph.pass(token, standing)
  }

  /** Sets the trusted prices of tokens, by which pools are deep. Without prices no pool is. */
  setPrices(prices: ReadonlyMap<Address, AnchorPrice>): void {
    this.#prices = prices
    for (const entry of this.#pools.values()) entry.isDeep = null
  }

  /** Returns whether a pool holds at least 1,000 USD of tokens with a trusted price. */
  isDeep(address: Address): boolean {
    const entry = this.#pools.get(address)
    if (entry === undefined) return false
    entry.isDeep ??= holds(entry, this.#prices, DEEP_E8)
    return entry.isDeep
  }

  /** Sets the time of the head, in unix seconds. Pools whose state is too old by then are not used. */
  setTime(now: number): void {
    this.#now = now
    // A pool that stays as it is keeps what quotes computed of it.
    for (const entry of this.#aging) if (canTrade(entry, now) !== entry.linked.length > 0) this.#refresh(entry)
  }

  #entry(pool: Address): Entry {
    const entry = this.#pools.get(pool)
    if (entry === undefined) throw new Error(`the market has no pool ${pool}`)
    return entry
  }

  /** Updates the graph after a change of `entry`. */
  #refresh(entry: Entry): void {
    entry.isDeep = null
    if (!canTrade(entry, this.#now)) {
      this.#unlink(entry)
    } else if (entry.linked.length > 0) {
      const { state, formula } = entry
      for (const view of entry.linked) {
        if (view !== entry) Object.assign(view, { state, formula: formula && viewOf(formula, view) })
        this.graph.changed(view)
      }
    } else {
      entry.linked = entry.formula === null ? [entry] : pairsOfCoins(entry, entry.formula)
      for (const view of entry.linked) this.graph.add(view)
    }
  }

  #unlink(entry: Entry): void {
    for (const view of entry.linked) this.graph.remove(view)
    entry.linked = []
  }
}

function ticksOf({ ticks, pool }: Entry): TickList {
  if (ticks === null) throw new Error(`pool ${pool.address} has no ticks`)
  return ticks
}

function canTrade(entry: Entry, now: number): boolean {
  const { pool, state } = entry
  if (state?.kind === 'formula') return entry.formula !== null && (state.freshUntil ?? now) >= now
  if (isEmptyPool(entry) || pool.token0 === pool.token1 || !isFee(pool.fee)) return false
  const fee = state?.fee
  return fee === undefined || (fee.exact && isFee(fee.zeroForOne) && isFee(fee.oneForZero))
}

/** Returns whether a pool holds nothing to trade: it has no state, an empty reserve, no price, or no ticks. */
export function isEmptyPool({ state, ticks, formula }: PoolInState): boolean {
  if (state === null) return true
  if (state.kind === 'formula') return formula === null || formula.maths.balances.every((balance) => balance === 0n)
  if (state.kind === 'pair') return state.reserve0 === 0n || state.reserve1 === 0n
  return state.sqrtPriceX96 === 0n || ticks === null || ticks.size === 0
}

function formulaOf({ formula, values }: FormulaState): PairOfCoins | null {
  const kind = formulaKind(formula)
  const maths = values === null || kind === null ? null : kind.of(values)
  return maths === null || kind === null ? null : { maths, work: kind.work, coin0: 0, coin1: 1 }
}

/** Returns a view of a pool for each pair of its coins, without coins that occur twice. */
function pairsOfCoins(entry: Entry, formula: PairOfCoins): PoolInState[] {
  const coins = coinsOf(entry.pool)
  const isOnce = (coin: Address) => coins.indexOf(coin) === coins.lastIndexOf(coin)
  return coins.flatMap((token0, coin0) =>
    coins.slice(coin0 + 1).flatMap((token1, later) => {
      if (!isOnce(token0) || !isOnce(token1)) return []
      const pair = { ...formula, coin0, coin1: coin0 + 1 + later }
      return [{ pool: { ...entry.pool, token0, token1 }, state: entry.state, ticks: null, formula: pair }]
    }),
  )
}

/** Returns a pool's new formula for the coins of one view. */
function viewOf(formula: PairOfCoins, { formula: before }: PoolInState): PairOfCoins {
  return before === null ? formula : { ...formula, coin0: before.coin0, coin1: before.coin1 }
}

/** Whether a fee leaves something to trade. */
function isFee(fee: number): boolean {
  return fee >= 0 && fee < Number(FEE_UNITS)
}

/**
 * Returns a pool as a market takes it: the native coin becomes its wrapper, which is exchanged one for one. A pool of
 * both becomes a pool of a token with itself, which no route uses.
 */
export function withWrapper(pool: QuotablePool, wrappedNative: Address): QuotablePool {
  const { token0, token1, coins } = pool
  if (![token0, token1, ...(coins ?? [])].includes(ZERO_ADDRESS)) return pool
  const wrapped = (token: Address) => (token === ZERO_ADDRESS ? wrappedNative : token)
  return { ...pool, token0: wrapped(token0), token1: wrapped(token1), ...(coins && { coins: coins.map(wrapped) }) }
}
