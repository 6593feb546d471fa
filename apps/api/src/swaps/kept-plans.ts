import { MINUTE } from '@dexfeed/dex'
import { LRUCache } from 'lru-cache'
import type { ListPlan } from './day/list/list-plan.ts'

/** A list may be gone on with for so long. */
const RESUME_MS = 10 * MINUTE
/** Of a list that was sent whole to all who asked, and may have been lost on the way. */
const SENT_MS = MINUTE
const MAX_KEPT = 64

interface Kept {
  plan: ListPlan
  /** Readers that were not sent all of it: it is going out to them, or broke off. */
  unfinished: number
}

/** The lists that were sent, by their tags: whoever was not sent all of one may go on with it. */
export class KeptPlans {
  readonly #kept: LRUCache<string, Kept>

  /** @param clock of milliseconds */
  constructor(clock: { now(): number } = performance) {
    this.#kept = new LRUCache({ max: MAX_KEPT, ttl: RESUME_MS, perf: clock, ttlResolution: 0 })
  }

  get(tag: string): ListPlan | undefined {
    return this.#kept.get(tag)?.plan
  }

  /** Keeps it for as long as a list may be gone on with. */
  keep(tag: string, plan: ListPlan): void {
    this.#kept.set(tag, { plan, unfinished: this.#kept.get(tag)?.unfinished ?? 0 })
  }

  /** A reader is being sent a list that is kept, or a part of it. */
  begin(tag: string): void {
    const kept = this.#kept.get(tag)
    if (kept !== undefined) kept.unfinished++
  }

  /** A reader was sent what it had asked for; a list that others wait for keeps its time. */
  end(tag: string): void {
    const kept = this.#kept.get(tag)
    if (kept === undefined) return
    kept.unfinished--
    if (kept.unfinished <= 0) this.#kept.set(tag, kept, { ttl: SENT_MS })
  }
}
