import { MINUTE, SECOND } from '@dexfeed/dex'
import type { Clock } from '../clock.ts'
import type { Priority } from './request-gate.ts'

/** What an endpoint takes: so much a second, and so much at once after a rest. */
export interface RequestRate {
  perS: number
  burst: number
  /** Items of JSON-RPC (a batch counts its items), or compute units. */
  unit: 'items' | 'compute units'
}

/** What a request took of the budget. */
export interface Spending {
  readonly cost: number
  /** When it was let go (clock milliseconds). */
  readonly at: number
  readonly waitedMs: number
}

/** What an endpoint takes by now. */
export interface BudgetState {
  /** Null: no limit is known. */
  perS: number | null
  unit: RequestRate['unit']
  /** What work at the head takes, over the last seconds. */
  headPerS: number
}

/** The head's need is measured over this time. */
const HEAD_WINDOW_MS = 10 * SECOND
/** Work in bulk leaves in the bucket what the head takes in this time. */
const RESERVE_S = 1
/** The least that it leaves, in questions: a block and what may come with it. */
const LEAST_RESERVE = 4
/** And what comes in this time: what is sent evenly may arrive in heaps. */
const HEAP_S = 0.1
/** A refusal lowers the rate to this part of it. */
const DECREASE = 0.7
/** And a given one to this, where none came for some time: what was sent evenly may just have arrived in heaps. */
const DECREASE_ALONE = 0.95
const ALONE_AFTER = MINUTE / 2
/** While work waits for the budget, a lowered rate grows each second by this part of what had been sent before. */
const INCREASE = 0.02
/** More than the head needs is left to it by refusals of work in bulk. */
const HEAD_MARGIN = 1.2
/** Where it was refused itself, work at the head keeps to a rate that is learnt for this time. */
const BORROW_AFTER = MINUTE
const FIRST_PAUSE = SECOND
const LONGEST_PAUSE = MINUTE
/** A `Retry-After` is obeyed up to this. */
const LONGEST_RETRY_AFTER = 10 * MINUTE

/** Waiting is looked at again at least this often: the rate moves meanwhile. */
const LONGEST_LOOK = SECOND

interface Waiter {
  cost: number
  go: () => void
}

/**
 * A token bucket for the questions to one endpoint. Work at the head goes first: work in bulk takes only what leaves a
 * reserve for it. Without a rate in the settings the limit is learnt from refusals (additive increase, multiplicative
 * decrease), and only work in bulk waits for it, as long as the head is not refused itself: what it takes, bulk pays back.
 */
export class RequestBudget {
  readonly #given: RequestRate | null
  readonly #clock: Clock
  readonly #costOf: (method: string) => number
  /** What a usual question costs. */
  readonly #requestCost: number
  readonly #waiting: Record<Priority, Waiter[]> = { live: [], bulk: [] }
  readonly #sent = new SlidingRate(SECOND)
  readonly #head = new SlidingRate(HEAD_WINDOW_MS)
  #perS: number
  #burst: number
  #tokens: number
  #filledAt: number
  /** The rate that the last refusal came at: what growth is measured by. */
  #refusedPerS = 0
  /** When the rate was lowered last. */
  #cutAt = Number.NEGATIVE_INFINITY
  #bulkFrom = Number.NEGATIVE_INFINITY
  #headRefusedAt = Number.NEGATIVE_INFINITY
  /** Refusals in a row. */
  readonly #refusals: Record<Priority, number> = { live: 0, bulk: 0 }
  #pumping = false
  #wake = new AbortController()

  /**
   * @param rate null: to be learnt
   * @param computeUnits what a question costs where the rate is in compute units
   */
  constructor(rate: RequestRate | null, clock: Clock, computeUnits: (method: string) => number) {
    this.#given = rate
    this.#clock = clock
    this.#costOf = rate?.unit === 'compute units' ? computeUnits : () => 1
    this.#requestCost = this.#costOf('eth_getBlockByNumber')
    this.#perS = rate?.perS ?? Number.POSITIVE_INFINITY
    this.#burst = rate?.burst ?? Number.POSITIVE_INFINITY
    this.#tokens = this.#burst
    this.#filledAt = clock.now()
  }

  /** What the questions cost: each of a batch counts. */
  cost(requests: readonly { method: string }[]): number {
    return requests.reduce((sum, { method }) => sum + this.#costOf(method), 0)
  }

  /** How much one batch may cost. */
  batchRoom(priority: Priority): number {
    return priority === 'live' ? this.#burst : this.#burst - this.#reserve()
  }

  /** Work in bulk is not to be sent before (clock milliseconds). */
  get bulkFrom(): number {
    return this.#bulkFrom
  }

  /** How long work in bulk is not to be sent. */
  bulkPauseMs(): number {
    return Math.max(0, this.#bulkFrom - this.#clock.now())
  }

  state(): BudgetState {
    return {
      perS: Number.isFinite(this.#perS) ? this.#perS : null,
      unit: this.#given?.unit ?? 'items',
      headPerS: this.#head.perS(this.#clock.now()),
    }
  }

  /** Resolves when the budget has room, in the order asked, the head first; or when the signal aborts. */
  async take(priority: Priority, cost: number, signal: AbortSignal): Promise<Spending> {
    const requested = this.#clock.now()
    const isNext = this.#waiting.live.length === 0 && (priority === 'live' || this.#waiting.bulk.length === 0)
    if (isNext && this.#waitMs(priority, cost) === 0) this.#spend(priority, cost)
    else await this.#queued(priority, cost, signal)
    const at = this.#clock.now()
    return { cost, at, waitedMs: at - requested }
  }

  /** A request of this priority was answered. */
  served(priority: Priority): void {
    this.#refusals[priority] = 0
  }

  /**
   * The endpoint said that it was too much. What was under way together counts once.
   *
   * @param retryAfterMs what the endpoint asks for; null: it does not say
   * @returns whether it counts
   */
  refused(priority: Priority, { cost, at }: Spending, retryAfterMs: number | null): boolean {
    const now = this.#clock.now()
    const counts = at >= this.#cutAt
    if (counts) {
      this.#lower(priority, cost, now)
      this.#cutAt = now
    }
    const pause = Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** Math.max(0, this.#refusals[priority] - 1))
    const wait =
      retryAfterMs === null ? pause * (0.5 + this.#clock.random() / 2) : Math.min(retryAfterMs, LONGEST_RETRY_AFTER)
    if (counts || retryAfterMs !== null) this.#bulkFrom = Math.max(this.#bulkFrom, now + wait)
    return counts
  }

  #lower(priority: Priority, cost: number, now: number): void {
    this.#refill()
    this.#refusals[priority]++
    this.#refusedPerS = Math.max(this.#requestCost, Number.isFinite(this.#perS) ? this.#perS : this.#sent.perS(now))
    const least = priority === 'live' ? this.#requestCost : this.#head.perS(now) * HEAD_MARGIN + this.#requestCost
    const isAlone = this.#given !== null && now - this.#cutAt > ALONE_AFTER
    const lowered = Math.max(least, this.#refusedPerS * (isAlone ? DECREASE_ALONE : DECREASE))
    this.#perS = Math.min(this.#given?.perS ?? lowered, lowered)
    // So large a batch, at least, was too much.
    if (!isAlone && cost > this.#requestCost) this.#burst = Math.max(this.#requestCost, Math.min(this.#burst, cost / 2))
    this.#tokens = Math.min(0, this.#tokens)
    if (priority === 'live') this.#headRefusedAt = now
  }

  /** While work waited for the budget, and was not refused: there may be more room than was thought. */
  #raise(ms: number): void {
    const growth = (Math.max(this.#requestCost, this.#refusedPerS * INCREASE) * ms) / SECOND
    this.#perS = Math.min(this.#given?.perS ?? Number.POSITIVE_INFINITY, this.#perS + growth)
    this.#burst = Math.min(this.#given?.burst ?? Math.max(this.#burst, this.#perS), this.#burst + growth)
  }

  #reserve(): number {
    if (!Number.isFinite(this.#burst)) return 0
    const need = Math.max(LEAST_RESERVE * this.#requestCost, this.#head.perS(this.#clock.now()) * RESERVE_S)
    return Math.min(this.#burst / 2, need + this.#perS * HEAP_S)
  }

  #refill(): void {
    const now = this.#clock.now()
    if (Number.isFinite(this.#perS)) {
      const gained = (this.#perS * (now - this.#filledAt)) / SECOND
      this.#tokens = Math.min(this.#burst, this.#tokens + gained)
    }
    this.#filledAt = now
  }

  /** How long until this may go, were it the next. */
  #waitMs(priority: Priority, cost: number): number {
    const now = this.#clock.now()
    this.#refill()
    if (priority === 'live' && this.#given === null && now - this.#headRefusedAt > BORROW_AFTER) return 0
    if (priority === 'bulk' && this.#bulkFrom > now) return this.#bulkFrom - now
    if (!Number.isFinite(this.#perS)) return 0
    // What costs more than the bucket holds goes when that is full.
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
        // Whoever sleeps for what has left, or for less urgent work, looks again.
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

  /** Lets the waiting go one after the other, work at the head first. */
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
      await this.#clock.sleep(Math.min(wait, LONGEST_LOOK), this.#wake.signal)
      if (!isPaused) this.#raise(this.#clock.now() - asleep)
    }
    this.#pumping = false
  }
}

/** How much a second there was of something lately. */
export class SlidingRate {
  readonly #windowMs: number
  /** Beginning of the window that is being counted; the one before it counts by the part that still lies within. */
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

  /** Over the last window, of which the part before its last boundary is estimated. */
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
