import type { PoolAddress } from '@dexfeed/dex'
import type { PoolTrades } from '@dexfeed/store'
import type { BlockEvents } from '../../blocks/process-blocks.ts'
import { isTrade } from '../../pools/pool-registry.ts'

/** Number of most traded pools. A network is ready once these are read. */
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
  #seen = new Map<PoolAddress, number>()
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
      for (const { type, pool } of events) if (isTrade(type)) this.#seen.set(pool, (this.#seen.get(pool) ?? 0) + 1)
    }
  }

  /** Counts the stored trades again. Trades that the follower sees meanwhile are added. */
  async count(read: () => Promise<readonly PoolTrades[]>): Promise<void> {
    const before = this.#seen
    this.#seen = new Map()
    try {
      this.#stored = await read()
    } catch (error) {
      for (const [pool, swaps] of before) this.#seen.set(pool, (this.#seen.get(pool) ?? 0) + swaps)
      throw error
    }
    this.#sort()
  }

  #sort(): void {
    const counts = new Map(this.#seen)
    for (const { pool, trades } of this.#stored) counts.set(pool, (counts.get(pool) ?? 0) + trades)
    const sorted = [...counts].sort(([, a], [, b]) => b - a)
    this.#places = new Map(sorted.map(([pool], index) => [pool, index + 1]))
  }
}
