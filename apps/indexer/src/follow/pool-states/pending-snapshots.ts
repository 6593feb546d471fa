import { type Address, type Pool, stateReadingOf } from '@dexfeed/dex'
import { wordsOf } from '../../pools/pool-snapshot.ts'
import { READ_FIRST } from './pool-ranks.ts'

/** Pools of one snapshot at most. */
const MAX_POOLS = 200
/** A pool with more words than these takes as long as ten or more of the usual ones. */
const LARGE_WORDS = 1_000

/** The pools whose state is still to be read from the chain. */
export class PendingSnapshots {
  readonly #pools = new Map<Address, Pool>()
  /** One pool at a time after a failure, so that one bad pool does not hold up the others. */
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

  /** Takes up a pool, unless its kind is not quoted. */
  add(pool: Pool): void {
    if (stateReadingOf(pool) !== null) this.#pools.set(pool.address, pool)
  }

  delete(pool: Address): void {
    this.#pools.delete(pool)
  }

  clear(): void {
    this.#pools.clear()
  }

  /** After a failure a pool is read alone, until one could be. */
  noteOutcome(succeeded: boolean): void {
    this.#oneByOne = !succeeded
  }

  /**
   * The pools of the next snapshot.
   *
   * @param isReady whether a pool may be read now
   * @param places by trades: the most traded come first, whatever that takes, and the large ones of the others last
   * @param mostWords of bitmaps, unless the first pool alone has more
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
