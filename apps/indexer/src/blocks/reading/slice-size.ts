/** Until the node has cut one, slices grow fast. */
const FIRST_GROWTH = 2
const GROWTH = 1.25
/** After a slice that was cut so many are as large as what came of it before a larger one is tried. */
const REST = 16

export interface Slice {
  blocks: number
  /** Whether it is larger than what is known to come as one answer. */
  isAttempt: boolean
}

/**
 * How many blocks to ask for so that they come as one answer, found out by asking for somewhat more, one slice at a time:
 * of a slice that is cut the rest is a question of its own.
 */
export class SliceSize {
  #blocks: number
  #growth = FIRST_GROWTH
  #rest = 0
  #isTrying = false

  /** @param first what came as one answer */
  constructor(first: number) {
    this.#blocks = first
  }

  /** The next slice, of the blocks that are left. */
  next(left: number): Slice {
    const isDue = !this.#isTrying && this.#rest-- <= 0
    const blocks = Math.min(left, isDue ? Math.ceil(this.#blocks * this.#growth) : this.#blocks)
    const isAttempt = blocks > this.#blocks
    if (isAttempt) this.#isTrying = true
    return { blocks, isAttempt }
  }

  /** @param answers the blocks of each answer that a slice came in */
  came({ blocks, isAttempt }: Slice, answers: readonly number[]): void {
    if (isAttempt) this.#isTrying = false
    const [first = blocks] = answers
    if (answers.length > 1) {
      this.#rest = REST
      this.#growth = GROWTH
      // An attempt says nothing about the size that it goes beyond, unless less came of it.
      this.#blocks = isAttempt ? Math.min(this.#blocks, first) : first
    } else if (isAttempt) this.#blocks = blocks
  }
}
