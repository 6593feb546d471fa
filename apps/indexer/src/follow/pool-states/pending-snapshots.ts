import { type Address, type Pool, stateReadingOf } from '@dexfeed/dex'
import { wordsOf } from '../../pools/pool-snapshot.ts'
import { READ_FIRST } from './pool-ranks.ts'

/** Maximum pools in one snapshot. */
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
   * Returns the pools of the next snapshot. The most traded come first, whatever their size. Large ones among the others come
   * last.
   *
   * @param isReady whether a pool may be read now
   * @param places by trades
   * @param mostWords maximum bitmap words, unless the first pool alone has more
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
