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
  /** How often a client was not sent all of it: it is going out to it, or broke off. */
  unfinished: Map<string, number>
}

/**
 * The lists that were sent, by what they were asked for and their tags: whoever was not sent all of one may go on with it. Where there are too many,
 * those go first that nobody needs, then those of clients that have many of them.
 */
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
    const known = this.#kept.get(tag)
    if (known === undefined && this.#kept.size === MAX_KEPT) this.#makeRoom()
    this.#kept.set(tag, { plan, unfinished: known?.unfinished ?? new Map() })
  }

  /** A client is being sent a list that is kept, or a part of it. */
  begin(tag: string, client: string): void {
    const unfinished = this.#kept.get(tag)?.unfinished
    unfinished?.set(client, (unfinished.get(client) ?? 0) + 1)
  }

  /** A client was sent what it had asked for; a list that others wait for keeps its time. */
  end(tag: string, client: string): void {
    const kept = this.#kept.get(tag)
    if (kept === undefined) return
    const left = (kept.unfinished.get(client) ?? 1) - 1
    if (left > 0) kept.unfinished.set(client, left)
    else kept.unfinished.delete(client)
    if (kept.unfinished.size === 0) this.#kept.set(tag, kept, { ttl: SENT_MS })
  }

  /** Drops the list whose clients all have the most others; one that nobody needs before all. */
  #makeRoom(): void {
    this.#kept.purgeStale()
    if (this.#kept.size < MAX_KEPT) return
    const lists = new Map<string, number>()
    for (const { unfinished } of this.#kept.values()) {
      for (const client of unfinished.keys()) lists.set(client, (lists.get(client) ?? 0) + 1)
    }
    let [dropped, most] = ['', 0]
    // The oldest first.
    for (const tag of this.#kept.rkeys()) {
      const clients = [...(this.#kept.peek(tag)?.unfinished.keys() ?? [])]
      const fewest = Math.min(...clients.map((client) => lists.get(client) ?? 0))
      if (fewest > most) [dropped, most] = [tag, fewest]
    }
    this.#kept.delete(dropped)
  }
}
