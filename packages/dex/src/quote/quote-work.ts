/**
 * What the steps of a quote cost, in units of some 50 ns: a way along tokens that is looked at, a bound of one pool, a
 * tick walked over in floating point, an exact quote of one pool, and a new rung of its ladder.
 */
export const WORK = { way: 1, bound: 2, tick: 10, quote: 10, rung: 20 } as const

/**
 * The most that one quote may take: some 15 ms of processor time. Honest markets take a hundredth to a tenth of it.
 * It counts steps and no time, so that the same market gives the same answer on any machine.
 */
export const MOST_WORK = 300_000

/** A quote that would have taken more work than it may. */
export class QuoteOverBudget extends Error {
  override readonly name = 'QuoteOverBudget'
  readonly budget: number

  constructor(budget: number) {
    super(`a quote took more than ${budget} units of work`)
    this.budget = budget
  }
}

/** Counts the work of one quote. */
export class QuoteWork {
  readonly budget: number
  #done = 0

  constructor(budget = Number.POSITIVE_INFINITY) {
    this.budget = budget
  }

  /** Units of work so far. */
  get done(): number {
    return this.#done
  }

  /** @throws QuoteOverBudget */
  spend(units: number): void {
    this.#done += units
    if (this.#done > this.budget) throw new QuoteOverBudget(this.budget)
  }
}
