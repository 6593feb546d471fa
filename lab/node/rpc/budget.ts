/** How many questions a node answers: items of a batch count one by one. */
export interface BudgetPlan {
  /** Items a second; null: as many as come. */
  rate: number | null
  /** Items that may come at once. */
  burst: number
  /** Whether what is too much is refused as a whole by the HTTP status, or item by item within the answer. */
  refusal: 'http' | 'item'
}

/** A bucket of tokens, one an item, which fills at the rate up to the burst. */
export class Budget {
  readonly #plan: BudgetPlan
  readonly #now: () => number
  #tokens: number
  #at: number

  /** @param now milliseconds of a clock that only grows */
  constructor(plan: BudgetPlan, now: () => number) {
    this.#plan = plan
    this.#now = now
    this.#tokens = plan.burst
    this.#at = now()
  }

  /** How many of so many items may be answered now: all or none by HTTP, else as many as there are tokens. */
  take(items: number): number {
    const { rate, burst, refusal } = this.#plan
    if (rate === null) return items
    const now = this.#now()
    this.#tokens = Math.min(burst, this.#tokens + ((now - this.#at) / 1_000) * rate)
    this.#at = now
    const whole = Math.floor(this.#tokens)
    const taken = items <= whole ? items : refusal === 'http' ? 0 : whole
    this.#tokens -= taken
    return taken
  }
}
