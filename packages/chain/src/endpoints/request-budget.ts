import { MINUTE, SECOND } from '@dexfeed/dex'
import type { Clock } from '../clock.ts'
import type { Priority } from './request-gate.ts'

export interface RequestRate {
  perS: number
  burst: number
  /** JSON-RPC requests (each item of a batch counts), or compute units. */
  unit: 'items' | 'compute units'
}

export interface Spending {
  readonly cost: number
  readonly takenAt: number
  readonly waitedMs: number
}

export interface BudgetState {
  /** Null if no limit is known. */
  perS: number | null
  unit: RequestRate['unit']
  headPerS: number
}

export interface Budget {
  /** Returns the cost of requests in the unit of the rate. */
  cost(requests: readonly { method: string }[]): number
  batchRoom(priority: Priority): number
  /** Send no bulk work before this time, in milliseconds of the clock. */
  readonly bulkFrom: number
  bulkPauseMs(): number
  state(): BudgetState
  /**
   * Resolves when the budget has room, or when the signal aborts. Serves waiting work in order, work at the head first.
   */
  take(priority: Priority, cost: number, signal: AbortSignal): Promise<Spending>
  served(priority: Priority): void
  /**
   * Records a refusal for the rate. Returns whether it counts, because requests that are in flight together count once.
   */
  refused(priority: Priority, spending: Spending, retryAfterMs: number | null): boolean
}

/** @param computeUnits returns the cost of one request if the rate is in compute units */
export function costUnder(rate: RequestRate | null, computeUnits: (method: string) => number): Budget['cost'] {
  if (rate?.unit !== 'compute units') return (requests) => requests.length
  return (requests) => requests.reduce((sum, { method }) => sum + computeUnits(method), 0)
}

const HEAD_WINDOW_MS = 10 * SECOND
/** Bulk work leaves tokens in the bucket for this many seconds of the head's use. */
const RESERVE_S = 1
/** Bulk work leaves tokens for at least this many requests: a block, and what may come with it. */
const MIN_RESERVE = 4
/** Bulk work also leaves this many seconds of refill, because requests sent evenly may arrive in bursts. */
const BURST_S = 0.1
const DECREASE = 0.7
/** Used for a configured rate whose last refusal was long ago: requests may only have arrived in a burst. */
const DECREASE_ALONE = 0.95
const ALONE_AFTER = MINUTE / 2
/** Share of the refused rate by which a lowered rate grows per second while work waits. */
const INCREASE = 0.02
/** A refusal of bulk work does not lower the rate below the head's use, multiplied by this. */
const HEAD_MARGIN = 1.2
/** After a refusal at the head, the head keeps to a learned rate for this long. */
const BORROW_AFTER = MINUTE
const FIRST_PAUSE = SECOND
const LONGEST_PAUSE = MINUTE
const LONGEST_RETRY_AFTER = 10 * MINUTE

const LONGEST_SLEEP = SECOND

interface Waiter {
  cost: number
  go: () => void
}

/**
 * A token bucket for the requests to one endpoint. Bulk work always leaves a reserve for the head. Without a configured
 * rate, the limit is learned from refusals (additive increase, multiplicative decrease): only bulk work waits for it,
 * unless the head was refused itself. Bulk work pays back what the head overdraws.
 */
export class RequestBudget implements Budget {
  readonly #configured: RequestRate | null
  readonly #clock: Clock
  readonly cost: Budget['cost']
  readonly #requestCost: number
  readonly #waiting: Record<Priority, Waiter[]> = { live: [], bulk: [] }
  readonly #sent = new SlidingRate(SECOND)
  readonly #head = new SlidingRate(HEAD_WINDOW_MS)
  #perS: number
  #burst: number
  #tokens: number
  #filledAt: number
  #refusedPerS = 0
  #cutAt = Number.NEGATIVE_INFINITY
  #bulkFrom = Number.NEGATIVE_INFINITY
  #headRefusedAt = Number.NEGATIVE_INFINITY
  readonly #refusals: Record<Priority, number> = { live: 0, bulk: 0 }
  #pumping = false
  #wake = new AbortController()

  constructor(rate: RequestRate | null, clock: Clock, computeUnits: (method: string) => number) {
    this.#configured = rate
    this.#clock = clock
    this.cost = costUnder(rate, computeUnits)
    this.#requestCost = this.cost([{ method: 'eth_getBlockByNumber' }])
    this.#perS = rate?.perS ?? Number.POSITIVE_INFINITY
    this.#burst = rate?.burst ?? Number.POSITIVE_INFINITY
    this.#tokens = this.#burst
    this.#filledAt = clock.now()
  }

  batchRoom(priority: Priority): number {
    return priority === 'live' ? this.#burst : this.#burst - this.#reserve()
  }

  get bulkFrom(): number {
    return this.#bulkFrom
  }

  bulkPauseMs(): number {
    return Math.max(0, this.#bulkFrom - this.#clock.now())
  }

  state(): BudgetState {
    return {
      perS: Number.isFinite(this.#perS) ? this.#perS : null,
      unit: this.#configured?.unit ?? 'items',
      headPerS: this.#head.perS(this.#clock.now()),
    }
  }

  async take(priority: Priority, cost: number, signal: AbortSignal): Promise<Spending> {
    const requestedAt = this.#clock.now()
    const isNext = this.#waiting.live.length === 0 && (priority === 'live' || this.#waiting.bulk.length === 0)
    if (isNext && this.#waitMs(priority, cost) === 0) this.#spend(priority, cost)
    else await this.#queued(priority, cost, signal)
    const takenAt = this.#clock.now()
    return { cost, takenAt, waitedMs: takenAt - requestedAt }
  }

  served(priority: Priority): void {
    this.#refusals[priority] = 0
  }

  refused(priority: Priority, { cost, takenAt }: Spending, retryAfterMs: number | null): boolean {
    const now = this.#clock.now()
    const counts = takenAt >= this.#cutAt
    if (counts) {
      this.#lowerRate(priority, cost, now)
      this.#cutAt = now
    }
    const pause = Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** Math.max(0, this.#refusals[priority] - 1))
    const wait =
      retryAfterMs === null ? pause * (0.5 + this.#clock.random() / 2) : Math.min(retryAfterMs, LONGEST_RETRY_AFTER)
    if (counts || retryAfterMs !== null) this.#bulkFrom = Math.max(this.#bulkFrom, now + wait)
    return counts
  }

  #lowerRate(priority: Priority, cost: number, now: number): void {
    this.#refill()
    this.#refusals[priority]++
    this.#refusedPerS = Math.max(this.#requestCost, Number.isFinite(this.#perS) ? this.#perS : this.#sent.perS(now))
    const minPerS = priority === 'live' ? this.#requestCost : this.#head.perS(now) * HEAD_MARGIN + this.#requestCost
    const isAlone = this.#configured !== null && now - this.#cutAt > ALONE_AFTER
    const lowered = Math.max(minPerS, this.#refusedPerS * (isAlone ? DECREASE_ALONE : DECREASE))
    this.#perS = Math.min(this.#configured?.perS ?? lowered, lowered)
    // A batch of this cost was too large.
    if (!isAlone && cost > this.#requestCost) this.#burst = Math.max(this.#requestCost, Math.min(this.#burst, cost / 2))
    this.#tokens = Math.min(0, this.#tokens)
    if (priority === 'live') this.#headRefusedAt = now
  }

  #raiseRate(ms: number): void {
    const growth = (Math.max(this.#requestCost, this.#refusedPerS * INCREASE) * ms) / SECOND
    this.#perS = Math.min(this.#configured?.perS ?? Number.POSITIVE_INFINITY, this.#perS + growth)
    this.#burst = Math.min(this.#configured?.burst ?? Math.max(this.#burst, this.#perS), this.#burst + growth)
  }

  #reserve(): number {
    if (!Number.isFinite(this.#burst)) return 0
    const need = Math.max(MIN_RESERVE * this.#requestCost, this.#head.perS(this.#clock.now()) * RESERVE_S)
    return Math.min(this.#burst / 2, need + this.#perS * BURST_S)
  }

  #refill(): void {
    const now = this.#clock.now()
    if (Number.isFinite(this.#perS)) {
      const gained = (this.#perS * (now - this.#filledAt)) / SECOND
      this.#tokens = Math.min(this.#burst, this.#tokens + gained)
    }
    this.#filledAt = now
  }

  #waitMs(priority: Priority, cost: number): number {
    const now = this.#clock.now()
    this.#refill()
    if (priority === 'live' && this.#configured === null && now - this.#headRefusedAt > BORROW_AFTER) return 0
    if (priority === 'bulk' && this.#bulkFrom > now) return this.#bulkFrom - now
    if (!Number.isFinite(this.#perS)) return 0
    // Work that costs more than a full bucket is sent when the bucket is full.
    const needed = Math.min(this.#burst, priority === 'live' ? cost : cost + this.#reserve())
    return this.#tokens >= needed ? 0 : Math.max(1, Math.ceil(((needed - this.#tokens) * SECOND) / this.#perS))
  }

  #spend(priority: Priority, cost: number): void {
    const now = this.#clock.now()
    this.#tokens -= cost
    this.#sent.add(now, cost)
    if (priority === 'live') this.#head.add(now, cost)
  }

  #queued(priority: Priority, cost: number, signal: AbortSignal): Promise<void> {
    const queue = this.#waiting[priority]
    return new Promise<void>((resolve) => {
      const leave = () => {
        signal.removeEventListener('abort', leave)
        queue.splice(queue.indexOf(waiter), 1)
        // The pump may be asleep until there is room for this waiter, or for less urgent work.
        this.#wake.abort()
        resolve()
      }
      const waiter: Waiter = { cost, go: leave }
      queue.push(waiter)
      signal.addEventListener('abort', leave, { once: true })
      if (signal.aborted) return leave()
      this.#wake.abort()
      void this.#pump()
    })
  }

  async #pump(): Promise<void> {
    if (this.#pumping) return
    this.#pumping = true
    for (;;) {
      const priority = this.#waiting.live.length > 0 ? 'live' : 'bulk'
      const next = this.#waiting[priority][0]
      if (next === undefined) break
      const wait = this.#waitMs(priority, next.cost)
      if (wait === 0) {
        this.#spend(priority, next.cost)
        next.go()
        continue
      }
      const asleep = this.#clock.now()
      const isPaused = priority === 'bulk' && this.#bulkFrom > asleep
      this.#wake = new AbortController()
      await this.#clock.sleep(Math.min(wait, LONGEST_SLEEP), this.#wake.signal)
      if (!isPaused) this.#raiseRate(this.#clock.now() - asleep)
    }
    this.#pumping = false
  }
}

/** Measures a rate over a sliding window. The previous window counts by the share of it that still overlaps. */
class SlidingRate {
  readonly #windowMs: number
  #from = Number.NEGATIVE_INFINITY
  #count = 0
  #before = 0

  constructor(windowMs: number) {
    this.#windowMs = windowMs
  }

  add(now: number, amount: number): void {
    this.#moveTo(now)
    this.#count += amount
  }

  perS(now: number): number {
    this.#moveTo(now)
    const left = 1 - (now - this.#from) / this.#windowMs
    return ((this.#count + this.#before * left) * SECOND) / this.#windowMs
  }

  #moveTo(now: number): void {
    const passed = now - this.#from
    if (passed < this.#windowMs) return
    this.#before = passed < 2 * this.#windowMs ? this.#count : 0
    this.#count = 0
    this.#from = passed < 2 * this.#windowMs ? this.#from + this.#windowMs : now
  }
}
