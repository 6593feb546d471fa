import { type Address, Counts, type Pool, type PoolAddress, stateReadingOf } from '@dexfeed/dex'
import type { PoolTrades } from '@dexfeed/store'
import type { BlockEvents } from '../../blocks/process-blocks.ts'
import { isTrade } from '../../pools/pool-registry.ts'
import { wordsOf } from '../../pools/pool-snapshot.ts'

export const TOP_POOLS = 1_000
/**
 * Pools up to this place are read as fast as the budget allows. The first ranking covers part of a day, in which one of
 * the first thousand pools of a whole day may be at place 1,300.
 */
export const READ_FIRST = 1_300

/**
 * Ranks pools by the last day's trades: the stored ones, plus those that the follower has seen since they were counted.
 */
export class PoolRanks {
  #stored: readonly PoolTrades[] = []
  #seen = new Counts<PoolAddress>()
  #places: ReadonlyMap<PoolAddress, number> = new Map()

  /** Place 1 has the most trades. */
  get places(): ReadonlyMap<PoolAddress, number> {
    // Until the first count, use what the follower has seen.
    if (this.#places.size === 0 && this.#seen.size > 0) this.#sort()
    return this.#places
  }

  note(blocks: readonly BlockEvents[]): void {
    for (const { events } of blocks) {
      for (const { type, pool } of events) if (isTrade(type)) this.#seen.add(pool)
    }
  }

  async count(read: () => Promise<readonly PoolTrades[]>): Promise<void> {
    const before = this.#seen
    this.#seen = new Counts()
    try {
      this.#stored = await read()
    } catch (error) {
      for (const [pool, swaps] of before) this.#seen.add(pool, swaps)
      throw error
    }
    this.#sort()
  }

  #sort(): void {
    const counts = new Counts(this.#seen)
    for (const { pool, trades } of this.#stored) counts.add(pool, trades)
    const sorted = [...counts].sort(([, a], [, b]) => b - a)
    this.#places = new Map(sorted.map(([pool], index) => [pool, index + 1]))
  }
}

const MAX_POOLS = 200
/** A pool this large takes as long to read as ten usual ones. */
const LARGE_WORDS = 1_000

export class PendingSnapshots {
  readonly #pools = new Map<Address, Pool>()
  /** Set after a failure, so that one bad pool does not hold up the others. */
  #oneByOne = false

  get size(): number {
    return this.#pools.size
  }

  has(pool: Address): boolean {
    return this.#pools.has(pool)
  }

  addresses(): Address[] {
    return [...this.#pools.keys()]
  }

  add(pool: Pool): void {
    if (stateReadingOf(pool) !== null) this.#pools.set(pool.address, pool)
  }

  delete(pool: Address): void {
    this.#pools.delete(pool)
  }

  clear(): void {
    this.#pools.clear()
  }

  noteOutcome(succeeded: boolean): void {
    this.#oneByOne = !succeeded
  }

  /**
   * Selects the most traded pools of any size, then small ones, then large ones. `mostWords` bounds the bitmap words,
   * but the first pool is always selected.
   */
  select(isReady: (pool: Pool) => boolean, places: ReadonlyMap<Address, number>, mostWords: number): Pool[] {
    const most = this.#oneByOne ? 1 : MAX_POOLS
    const selected: Pool[] = []
    let words = 0
    for (const pool of this.#inOrder(places)) {
      if (selected.length === most) break
      if (!isReady(pool)) continue
      words += wordsOf(pool)
      if (words > mostWords && selected.length > 0) break
      selected.push(pool)
    }
    return selected
  }

  *#inOrder(places: ReadonlyMap<Address, number>): Generator<Pool> {
    const large: Pool[] = []
    for (const pool of this.#byTrades(places)) {
      const isTop = (places.get(pool.address) ?? Number.POSITIVE_INFINITY) <= READ_FIRST
      if (!isTop && wordsOf(pool) > LARGE_WORDS) large.push(pool)
      else yield pool
    }
    yield* large
  }

  *#byTrades(places: ReadonlyMap<Address, number>): Generator<Pool> {
    for (const address of places.keys()) {
      const pool = this.#pools.get(address)
      if (pool !== undefined) yield pool
    }
    for (const pool of this.#pools.values()) if (!places.has(pool.address)) yield pool
  }
}
