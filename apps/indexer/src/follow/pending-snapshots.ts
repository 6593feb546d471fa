import { type Chain, ChainError } from '@dexfeed/chain'
import { type Address, type BlockHeader, bitmapWords, type Pool, stateReadingOf } from '@dexfeed/dex'
import type { IndexerLog } from '../loops/indexer-log.ts'
import { type PoolSnapshots, snapshotPools, tickBitmap } from './pool-snapshot.ts'

/** Pools of one snapshot at most, and words of their bitmaps, so that the head does not wait long for it. */
const MAX_POOLS = 300
const MAX_WORDS = 5_000

/** The pools whose state is still to be read from the chain, a few at a time. */
export class PendingSnapshots {
  readonly #chain: Pick<Chain, 'callMany'>
  readonly #log: IndexerLog
  readonly #pools = new Map<Address, Pool>()
  /** One pool at a time after a failure, so that one bad pool does not hold up the others. */
  #oneByOne = false

  constructor(chain: Pick<Chain, 'callMany'>, log: IndexerLog) {
    this.#chain = chain
    this.#log = log
  }

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

  /**
   * States of some of the pools as of the end of a block; null when there is nothing to read or the node does not
   * answer now. Pools that were read, or that do not answer as their kind should, leave the list.
   *
   * @param isReady whether a pool may be read already
   */
  async read(head: BlockHeader, isReady: (pool: Pool) => boolean): Promise<PoolSnapshots | null> {
    const pools = this.#select(isReady)
    if (pools.length === 0) return null
    try {
      const snapshots = await snapshotPools(this.#chain, pools, head.number, head.hash)
      for (const { address } of pools) this.#pools.delete(address)
      this.#oneByOne = false
      return snapshots
    } catch (error) {
      this.#log.warn({ err: error, pools: pools.map(({ address }) => address) }, 'could not read pool states')
      const [only] = pools
      if (pools.length === 1 && only !== undefined && !(error instanceof ChainError)) this.#pools.delete(only.address)
      this.#oneByOne = true
      return null
    }
  }

  #select(isReady: (pool: Pool) => boolean): Pool[] {
    const ready = [...this.#pools.values()].filter(isReady)
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
