import { type Address, bitmapWords, type Pool, stateReadingOf } from '@dexfeed/dex'
import { tickBitmap } from './pool-snapshot.ts'

/** Pools of one snapshot at most, and words of their bitmaps: a few requests, through within a few blocks. */
const MAX_POOLS = 200
const MAX_WORDS = 4_000

/** The pools whose state is still to be read from the chain. */
export class PendingSnapshots {
  readonly #pools = new Map<Address, Pool>()
  /** One pool at a time after a failure, so that one bad pool does not hold up the others. */
  #oneByOne = false

  get size(): number {
    return this.#pools.size
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
   * The pools of the next snapshot, at most so many as come through within a few blocks.
   *
   * @param isReady whether a pool may be read now
   * @param places of the most traded pools, which come first
   */
  select(isReady: (pool: Pool) => boolean, places: ReadonlyMap<Address, number>): Pool[] {
    const placeOf = ({ address }: Pool) => places.get(address) ?? Number.MAX_SAFE_INTEGER
    const ready = [...this.#pools.values()].filter(isReady).sort((a, b) => placeOf(a) - placeOf(b))
    if (this.#oneByOne) return ready.slice(0, 1)
    const selected: Pool[] = []
    let words = 0
    for (const pool of ready.slice(0, MAX_POOLS)) {
      words += wordsOf(pool)
      if (words > MAX_WORDS && selected.length > 0) break
      selected.push(pool)
    }
    return selected
  }
}

/** How many words its bitmap of ticks has. */
function wordsOf(pool: Pool): number {
  const bitmap = tickBitmap(pool)
  return bitmap === null ? 0 : bitmapWords(bitmap.bitSpacing).length
}
