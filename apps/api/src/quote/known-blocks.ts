import type { PoolAddress } from '@dexfeed/dex'

/** For each pool that a rollback could affect, the reorgable block of its last change. */
export class KnownBlocks {
  readonly #blocks = new Map<PoolAddress, number>()
  #finalNumber = -1

  begin(finalNumber: number | null): void {
    this.#blocks.clear()
    this.#finalNumber = finalNumber ?? -1
  }

  note(pool: PoolAddress, blockNumber: number): void {
    if (blockNumber > this.#finalNumber)
      this.#blocks.set(pool, Math.max(blockNumber, this.#blocks.get(pool) ?? blockNumber))
  }

  forget(pool: PoolAddress): void {
    this.#blocks.delete(pool)
  }

  /** From now on, no rollback goes below this block. */
  settle(finalNumber: number | null): void {
    if (finalNumber === null || finalNumber <= this.#finalNumber) return
    this.#finalNumber = finalNumber
    for (const [pool, block] of this.#blocks) if (block <= finalNumber) this.#blocks.delete(pool)
  }

  above(blockNumber: number): PoolAddress[] {
    return [...this.#blocks].filter(([, block]) => block > blockNumber).map(([pool]) => pool)
  }
}
