import type { RangeCommit } from '@dexfeed/store'

/** Holds the blocks that this process took at the head with proof. No log can be missing in them. */
export class ProvenBlocks {
  readonly #numbers = new Set<number>()
  /** Blocks up to this one do not count as proven. */
  #disproved = -1

  /** Notes the blocks of a commit by the follower, and removes those that it rolled back. */
  note(commit: RangeCommit): void {
    const { from, to } = commit
    if ('skipped' in commit && !commit.skipped.isProven) this.#numbers.delete(from)
    if (!('live' in commit)) return
    const { rollbackTo, isProven } = commit.live
    if (rollbackTo !== null) for (const number of this.#numbers) if (number > rollbackTo) this.#numbers.delete(number)
    for (let number = from; number <= to; number++) {
      if (isProven && number > this.#disproved) this.#numbers.add(number)
      else this.#numbers.delete(number)
    }
  }

  /** Notes that a block was false. Others without an audit may be false, too, so the audit compares all of them. */
  disprove(number: number): void {
    this.#disproved = Math.max(this.#disproved, number)
    this.#numbers.clear()
  }

  has(number: number): boolean {
    return this.#numbers.has(number)
  }

  forgetUpTo(number: number): void {
    for (const known of this.#numbers) if (known <= number) this.#numbers.delete(known)
  }
}
