/** A token bucket. Each item of a batch takes a token. */
export interface BudgetPlan {
  /** Null for no limit. */
  rate: number | null
  burst: number
  /** Refuse the whole request with an HTTP status, or single items. */
  refusal: 'http' | 'item'
}

export const NO_LIMIT: BudgetPlan = { rate: null, burst: 1, refusal: 'http' }

export class Budget {
  readonly #plan: BudgetPlan
  readonly #now: () => number
  #tokens: number
  #at: number

  /** @param now returns monotonic milliseconds */
  constructor(plan: BudgetPlan, now: () => number) {
    this.#plan = plan
    this.#now = now
    this.#tokens = plan.burst
    this.#at = now()
  }

  /** Returns how many of the items are allowed: with `http`, all or none. */
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
