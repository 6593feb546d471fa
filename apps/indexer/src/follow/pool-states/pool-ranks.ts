import type { PoolAddress } from '@dexfeed/dex'
import type { PoolTrades } from '@dexfeed/store'
import type { BlockEvents } from '../../blocks/process-blocks.ts'
import { isTrade } from '../../pools/pool-registry.ts'

/** So many are the most traded pools. */
export const TOP_POOLS = 1_000
/**
 * So many are read first, as fast as the node's budget allows. At first the places are those of a small part of the day,
 * where a pool with the trades of the thousandth may well stand at the thirteen hundredth.
 */
export const READ_FIRST = 1_300

/** The pools by their trades of the last day: those that are stored, and what the follower has seen since they were counted. */
export class PoolRanks {
  #stored: readonly PoolTrades[] = []
  /** Swaps, by pool. */
  #seen = new Map<PoolAddress, number>()
  #places: ReadonlyMap<PoolAddress, number> = new Map()

  /** The place of each pool that traded, from 1 on for the one with the most trades, in their order, as of the last count. */
  get places(): ReadonlyMap<PoolAddress, number> {
    // Until the first count: of what the follower has seen.
    if (this.#places.size === 0 && this.#seen.size > 0) this.#sort()
    return this.#places
  }

  /** Takes up what the follower has processed. */
  note(blocks: readonly BlockEvents[]): void {
    for (const { events } of blocks) {
      for (const { type, pool } of events) if (isTrade(type)) this.#seen.set(pool, (this.#seen.get(pool) ?? 0) + 1)
    }
  }

  /** Counts the stored trades anew; what the follower sees meanwhile comes on top. */
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
