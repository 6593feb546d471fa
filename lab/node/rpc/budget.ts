/** How many requests a node serves. Each item of a batch counts. */
export interface BudgetPlan {
  /** Items per second; null: no limit. */
  rate: number | null
  /** Items that may come together. */
  burst: number
  /** How excess is refused: the whole request by its HTTP status, or item by item in the response. */
  refusal: 'http' | 'item'
}

export const NO_LIMIT: BudgetPlan = { rate: null, burst: 1, refusal: 'http' }

/** A token bucket, one token per item, which fills at the rate up to the burst. */
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

  /** Returns how many of the items may be served now: with `http` all or none, else one per token. */
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
