import type { Clock } from '../clock.ts'
import type { Budget, BudgetState, Spending } from './request-budget.ts'
import type { Priority } from './request-gate.ts'

// One process of an indexer keeps an endpoint's budget, and the others call it by messages. These may contain infinite
// numbers, which JSON cannot represent.

export type CallBudget =
  | { do: 'take'; id: number; priority: Priority; cost: number }
  | { do: 'leave'; id: number }
  | { do: 'served'; priority: Priority }
  | { do: 'refused'; priority: Priority; spending: Spending; retryAfterMs: number | null }

export interface BudgetNews extends BudgetState {
  room: Readonly<Record<Priority, number>>
  pauseMs: number
}

export interface BudgetReply {
  news: BudgetNews
  taken: { id: number; spending: Spending } | null
}

export function newsOf(budget: Budget): BudgetNews {
  const room = { live: budget.batchRoom('live'), bulk: budget.batchRoom('bulk') }
  return { ...budget.state(), room, pauseMs: budget.bulkPauseMs() }
}

export class BudgetServer {
  readonly #budget: Budget
  readonly #reply: (reply: BudgetReply) => void
  readonly #waiting = new Map<number, AbortController>()

  constructor(budget: Budget, reply: (reply: BudgetReply) => void) {
    this.#budget = budget
    this.#reply = reply
  }

  receive(call: CallBudget): void {
    if (call.do === 'take') void this.#take(call)
    else if (call.do === 'leave') this.#waiting.get(call.id)?.abort()
    else if (call.do === 'served') this.#budget.served(call.priority)
    else {
      this.#budget.refused(call.priority, call.spending, call.retryAfterMs)
      this.#reply({ news: newsOf(this.#budget), taken: null })
    }
  }

  /** Cancels what the other process waits for, after that process has gone. */
  close(): void {
    for (const wait of this.#waiting.values()) wait.abort()
  }

  async #take({ id, priority, cost }: Extract<CallBudget, { do: 'take' }>): Promise<void> {
    const wait = new AbortController()
    this.#waiting.set(id, wait)
    const spending = await this.#budget.take(priority, cost, wait.signal)
    this.#waiting.delete(id)
    if (!wait.signal.aborted) this.#reply({ news: newsOf(this.#budget), taken: { id, spending } })
  }
}

export class RemoteBudget implements Budget {
  readonly cost: Budget['cost']
  readonly #call: (call: CallBudget) => void
  readonly #clock: Clock
  readonly #waiting = new Map<number, (spending: Spending) => void>()
  #news: BudgetNews
  #bulkFrom: number
  #lastId = 0
  /**
   * Times by the other process's clock: of the newest request, and of the newest one before the last refusal that
   * counted.
   */
  #sentAt = Number.NEGATIVE_INFINITY
  #cutAt = Number.NEGATIVE_INFINITY

  constructor(cost: Budget['cost'], news: BudgetNews, call: (call: CallBudget) => void, clock: Clock) {
    this.cost = cost
    this.#call = call
    this.#clock = clock
    this.#news = news
    this.#bulkFrom = clock.now() + news.pauseMs
  }

  receive({ news, taken }: BudgetReply): void {
    this.#news = news
    this.#bulkFrom = this.#clock.now() + news.pauseMs
    if (taken === null) return
    this.#sentAt = taken.spending.takenAt
    this.#waiting.get(taken.id)?.(taken.spending)
  }

  get bulkFrom(): number {
    return this.#bulkFrom
  }

  bulkPauseMs(): number {
    return Math.max(0, this.#bulkFrom - this.#clock.now())
  }

  batchRoom(priority: Priority): number {
    return this.#news.room[priority]
  }

  state(): BudgetState {
    const { perS, unit, headPerS } = this.#news
    return { perS, unit, headPerS }
  }

  take(priority: Priority, cost: number, signal: AbortSignal): Promise<Spending> {
    const id = ++this.#lastId
    const requestedAt = this.#clock.now()
    return new Promise((resolve) => {
      const end = (spending: Spending) => {
        signal.removeEventListener('abort', leave)
        this.#waiting.delete(id)
        resolve({ ...spending, waitedMs: this.#clock.now() - requestedAt })
      }
      const leave = () => {
        this.#call({ do: 'leave', id })
        end({ cost, takenAt: this.#sentAt, waitedMs: 0 })
      }
      this.#waiting.set(id, end)
      signal.addEventListener('abort', leave, { once: true })
      this.#call({ do: 'take', id, priority, cost })
      if (signal.aborted) leave()
    })
  }

  served(priority: Priority): void {
    this.#call({ do: 'served', priority })
  }

  refused(priority: Priority, spending: Spending, retryAfterMs: number | null): boolean {
    this.#call({ do: 'refused', priority, spending, retryAfterMs })
    const counts = spending.takenAt > this.#cutAt
    if (counts) this.#cutAt = this.#sentAt
    return counts
  }
}
