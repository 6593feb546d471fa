import { type Address, Counts, type Pool, type PoolAddress, stateReadingOf } from '@dexfeed/dex'
import type { PoolTrades } from '@dexfeed/store'
import type { BlockEvents } from '../../blocks/process-blocks.ts'
import { isTrade } from '../../pools/pool-registry.ts'
import { wordsOf } from '../../pools/pool-snapshot.ts'

/** Number of pools that count as the most traded. Places beyond it are not reported. */
export const TOP_POOLS = 1_000
/**
 * Number of pools that are read first, as fast as the node's budget allows. Early places come from a small part of the
 * day. In such a part, the pool with the thousandth most trades may be at place 1,300.
 */
export const READ_FIRST = 1_300

/** Ranks the pools by their trades of the last day: stored trades plus the follower's trades since the count. */
export class PoolRanks {
  #stored: readonly PoolTrades[] = []
  /** Swaps per pool. */
  #seen = new Counts<PoolAddress>()
  #places: ReadonlyMap<PoolAddress, number> = new Map()

  /** The place of each pool that traded, in order; 1 for the most trades. As of the last count. */
  get places(): ReadonlyMap<PoolAddress, number> {
    // Until the first count, use what the follower has seen.
    if (this.#places.size === 0 && this.#seen.size > 0) this.#sort()
    return this.#places
  }

  /** Adds the trades that the follower processed. */
  note(blocks: readonly BlockEvents[]): void {
    for (const { events } of blocks) {
      for (const { type, pool } of events) if (isTrade(type)) this.#seen.add(pool)
    }
  }

  /** Counts the stored trades again. Trades that the follower sees meanwhile are added. */
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
/** A pool with more bitmap words takes as long as ten or more usual ones. */
const LARGE_WORDS = 1_000

/** The pools whose state is still to be read from the chain, and their order. */
export class PendingSnapshots {
  readonly #pools = new Map<Address, Pool>()
  /** After a failure, read one pool at a time, so that one bad pool does not hold up the others. */
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

  /** Adds a pool, unless its kind is not quoted. */
  add(pool: Pool): void {
    if (stateReadingOf(pool) !== null) this.#pools.set(pool.address, pool)
  }

  delete(pool: Address): void {
    this.#pools.delete(pool)
  }

  clear(): void {
    this.#pools.clear()
  }

  /** After a failure, pools are read one by one until one read succeeds. */
  noteOutcome(succeeded: boolean): void {
    this.#oneByOne = !succeeded
  }

  /**
   * Returns the pools of the next snapshot that may be read now. The most traded come first, whatever their size, and
   * large ones among the others last. `mostWords` limits the bitmap words, unless the first pool alone has more.
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
