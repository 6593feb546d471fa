import type { AnchorPrice } from '../anchor-prices.ts'
import { type Address, ZERO_ADDRESS } from '../chain.ts'
import { coinsOf, type QuotablePool } from '../pool.ts'
import { FEE_UNITS, type FormulaState, type PoolState, type TickLiquidity } from '../pool-state.ts'
import { formulaKind } from '../venues/registry.ts'
import { holds } from './pool-maths/held-amounts.ts'
import type { PairOfCoins, PoolInState } from './pool-maths/pool-in-state.ts'
import type { PoolSide } from './pool-maths/pool-side.ts'
import { TickList, TickTable } from './pool-maths/tick-list.ts'
import { RouteGraph, type Standing } from './route-search/route-graph.ts'

export interface MarketSeed {
  pool: QuotablePool
  state: PoolState | null
  ticks?: Iterable<TickLiquidity>
}

/** Routes through several pools use only `listed` tokens in between, or any tokens if it is null. */
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
   * The pool's entries in the graph: the pool itself, or a view for each pair of a formula's coins. Empty if it cannot
   * trade.
   */
  linked: PoolInState[]
  /** Null until computed. */
  isDeep: boolean | null
}

/** 1,000 USD, times 10^8. */
const DEEP_E8 = 100_000_000_000n

/**
 * The pools of a network with their current state, as a graph of tokens. Routes do not use pools that cannot trade:
 * those without state, reserve, price or ticks, with a fee that other contracts set, or with a state that is too old.
 *
 * Changing a pool throws if the market does not contain it, or contains it as the other kind.
 */
export class Market {
  readonly #pools = new Map<Address, Entry>()
  readonly #ticks = new TickTable()
  readonly #aging = new Set<Entry>()
  #now = 0
  #prices: ReadonlyMap<Address, AnchorPrice> = new Map()
  /** Must be changed only by the market. */
  readonly graph: RouteGraph

  constructor(listed: ReadonlySet<Address> | null) {
    this.graph = new RouteGraph(listed)
  }

  pool(address: Address): PoolInState | null {
    return this.#pools.get(address) ?? null
  }

  /** Returns one direction of a pool, if it can trade. */
  side(pool: Address, sell: Address, buy: Address): PoolSide | null {
    const from = this.graph.token(sell)
    const to = this.graph.token(buy)
    const link = from === null || to === null ? undefined : this.graph.link(from, to)
    const sides = link === undefined ? [] : this.graph.pools.sides(link)
    return sides.find((side) => side.pool.address === pool) ?? null
  }

  /** A caller that pauses during iteration may see some pools before a change and others after it. */
  pools(): Iterable<PoolInState> {
    return this.#pools.values()
  }

  /** Adds a pool without state, or applies a changed fee or DEX. */
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

  /** Null removes the state but keeps the ticks. */
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

  setTicks(pool: Address, ticks: Iterable<TickLiquidity>): void {
    const entry = this.#entry(pool)
    ticksOf(entry).replace(ticks)
    this.#refresh(entry)
  }

  /** Sets a tick to its new totals; gross 0 removes it. */
  applyTick(pool: Address, tick: TickLiquidity): void {
    const entry = this.#entry(pool)
    ticksOf(entry).apply(tick)
    this.#refresh(entry)
  }

  removePool(pool: Address): boolean {
    const entry = this.#pools.get(pool)
    if (entry === undefined) return false
    this.#unlink(entry)
    this.#aging.delete(entry)
    entry.ticks?.clear()
    return this.#pools.delete(pool)
  }

  /** Sets why routes may pass through a token; null if they may not. Does nothing if all tokens are listed. */
  pass(token: Address, standing: Standing | null): void {
    this.graph.pass(token, standing)
  }

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

  /** Sets the time, in seconds. Pools whose state is too old drop out. */
  setTime(now: number): void {
    this.#now = now
    // An unchanged pool keeps what quotes have computed for it.
    for (const entry of this.#aging) if (canTrade(entry, now) !== entry.linked.length > 0) this.#refresh(entry)
  }

  #entry(pool: Address): Entry {
    const entry = this.#pools.get(pool)
    if (entry === undefined) throw new Error(`the market has no pool ${pool}`)
    return entry
  }

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

/** Omits coins that occur twice. */
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

function viewOf(formula: PairOfCoins, { formula: before }: PoolInState): PairOfCoins {
  return before === null ? formula : { ...formula, coin0: before.coin0, coin1: before.coin1 }
}

function isFee(fee: number): boolean {
  return fee >= 0 && fee < Number(FEE_UNITS)
}

/**
 * Replaces the native coin in a pool by its wrapper. A pool of both becomes a pool of a token with itself, which no
 * route uses.
 */
export function withWrapper(pool: QuotablePool, wrappedNative: Address): QuotablePool {
  const { token0, token1, coins } = pool
  if (![token0, token1, ...(coins ?? [])].includes(ZERO_ADDRESS)) return pool
  const wrapped = (token: Address) => (token === ZERO_ADDRESS ? wrappedNative : token)
  return { ...pool, token0: wrapped(token0), token1: wrapped(token1), ...(coins && { coins: coins.map(wrapped) }) }
}
