/**
 * Costs in units of about 50 ns: of a path along tokens, a bound of a pool, a tick crossed in floating point, an exact
 * quote of a pool, and a new rung of its ladder.
 */
export const WORK = { path: 1, bound: 2, tick: 10, quote: 10, rung: 20 } as const

/**
 * The budget of one quote, about 15 ms. Honest markets use 1/100 to 1/10 of it. Steps are counted instead of time, so
 * that the result is the same on every machine.
 */
export const MAX_WORK = 300_000

export class QuoteOverBudget extends Error {
  override readonly name = 'QuoteOverBudget'
  readonly budget: number

  constructor(budget: number) {
    super(`a quote took more than ${budget} units of work`)
    this.budget = budget
  }
}

export class QuoteWork {
  readonly budget: number
  #done = 0

  constructor(budget = Number.POSITIVE_INFINITY) {
    this.budget = budget
  }

  get done(): number {
    return this.#done
  }

  /** @throws QuoteOverBudget */
  spend(units: number): void {
    this.#done += units
    if (this.#done > this.budget) throw new QuoteOverBudget(this.budget)
  }
}
