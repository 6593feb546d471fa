import type { RangeCommit } from '@dexfeed/store'

/** Which blocks this process took at the head with proof: nothing can have been left out of them. */
export class ProvenBlocks {
  readonly #numbers = new Set<number>()
  /** Blocks up to this one prove nothing, whoever took them. */
  #disproved = -1

  /** Takes up what a commit of the follower brought, and what it rolled back. */
  note({ from, to, live, skipped }: Pick<RangeCommit, 'from' | 'to' | 'live' | 'skipped'>): void {
    if (skipped?.isProven === false) this.#numbers.delete(from)
    if (live === null) return
    const { rollbackTo, isProven } = live
    if (rollbackTo !== null) for (const number of this.#numbers) if (number > rollbackTo) this.#numbers.delete(number)
    for (let number = from; number <= to; number++) {
      if (isProven && number > this.#disproved) this.#numbers.add(number)
      else this.#numbers.delete(number)
    }
  }

  /** A block was false after all, and so may be what else is not audited yet: the audit compares all of it. */
  disprove(number: number): void {
    this.#disproved = Math.max(this.#disproved, number)
    this.#numbers.clear()
  }

  has(number: number): boolean {
    return this.#numbers.has(number)
  }

  /** They are not asked for any more. */
  forgetUpTo(number: number): void {
    for (const known of this.#numbers) if (known <= number) this.#numbers.delete(known)
  }
}
