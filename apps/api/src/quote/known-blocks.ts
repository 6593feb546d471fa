import type { PoolAddress } from '@dexfeed/dex'

/**
 * Holds, for each pool that a rollback could affect, the reorgable block of its last known change. All other pools are
 * known as of a final block.
 */
export class KnownBlocks {
  readonly #blocks = new Map<PoolAddress, number>()
  #finalNumber = -1

  /** Removes all pools. */
  begin(finalNumber: number | null): void {
    this.#blocks.clear()
    this.#finalNumber = finalNumber ?? -1
  }

  /** Notes that the pool's state or one of its ticks is known as of a block. */
  note(pool: PoolAddress, blockNumber: number): void {
    if (blockNumber > this.#finalNumber)
      this.#blocks.set(pool, Math.max(blockNumber, this.#blocks.get(pool) ?? blockNumber))
  }

  /** Nothing known of the pool can be rolled back any more. */
  forget(pool: PoolAddress): void {
    this.#blocks.delete(pool)
  }

  /** From now on no rollback goes below this block. */
  settle(finalNumber: number | null): void {
    if (finalNumber === null || finalNumber <= this.#finalNumber) return
    this.#finalNumber = finalNumber
    for (const [pool, block] of this.#blocks) if (block <= finalNumber) this.#blocks.delete(pool)
  }

  /** Returns the pools that are known as of a block above this one. */
  above(blockNumber: number): PoolAddress[] {
    return [...this.#blocks].filter(([, block]) => block > blockNumber).map(([pool]) => pool)
  }
}
