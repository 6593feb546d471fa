import type { PoolAddress } from '@dexfeed/dex'

/** As of which reorgable block each pool is known that a rollback could concern: the others stand as of a final one. */
export class KnownBlocks {
  readonly #blocks = new Map<PoolAddress, number>()
  #finalNumber = -1

  /** Forgets all. */
  begin(finalNumber: number | null): void {
    this.#blocks.clear()
    this.#finalNumber = finalNumber ?? -1
  }

  /** The pool's state or one of its ticks is known as of a block. */
  note(pool: PoolAddress, blockNumber: number): void {
    if (blockNumber > this.#finalNumber) this.#blocks.set(pool, Math.max(blockNumber, this.#blocks.get(pool) ?? 0))
  }

  /** Nothing of the pool is known that a rollback could undo. */
  forget(pool: PoolAddress): void {
    this.#blocks.delete(pool)
  }

  /** From now on no rollback goes below this block. */
  settle(finalNumber: number | null): void {
    if (finalNumber === null || finalNumber <= this.#finalNumber) return
    this.#finalNumber = finalNumber
    for (const [pool, block] of this.#blocks) if (block <= finalNumber) this.#blocks.delete(pool)
  }

  /** The pools that are known as of a block above this one. */
  above(blockNumber: number): PoolAddress[] {
    return [...this.#blocks].filter(([, block]) => block > blockNumber).map(([pool]) => pool)
  }
}
