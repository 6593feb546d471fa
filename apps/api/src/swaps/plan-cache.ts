import { Counts, MINUTE } from '@dexfeed/dex'
import { LRUCache } from 'lru-cache'
import type { ListPlan } from './day/list/list-plan.ts'

/** An interrupted download may be resumed for this long. */
const RESUME_MS = 10 * MINUTE
/** Time to keep a list that was sent whole to all its clients. It may have been lost on the way. */
const SENT_MS = MINUTE
const MAX_KEPT = 64

interface CachedPlan {
  plan: ListPlan
  /** How often each client did not get the whole list: its transfer runs, or was broken off. */
  unfinished: Counts<string>
}

/**
 * Keeps sent lists, by request and tag, so that a client can resume an interrupted download. If there are too many,
 * lists that no client needs go first, then those of clients with many lists.
 */
export class PlanCache {
  readonly #kept: LRUCache<string, CachedPlan>

  /** @param clock returns milliseconds */
  constructor(clock: { now(): number } = performance) {
    this.#kept = new LRUCache({ max: MAX_KEPT, ttl: RESUME_MS, perf: clock, ttlResolution: 0 })
  }

  get(tag: string): ListPlan | undefined {
    return this.#kept.get(tag)?.plan
  }

  /** Keeps a list for as long as its download may be resumed. */
  keep(tag: string, plan: ListPlan): void {
    const known = this.#kept.get(tag)
    if (known === undefined && this.#kept.size === MAX_KEPT) this.#makeRoom()
    this.#kept.set(tag, { plan, unfinished: known?.unfinished ?? new Counts() })
  }

  /** Notes that a transfer of a kept list, or of a part, to a client begins. */
  begin(tag: string, client: string): void {
    this.#kept.get(tag)?.unfinished.add(client)
  }

  /** Notes that a client got what it requested. A list that others still need keeps its time. */
  end(tag: string, client: string): void {
    const kept = this.#kept.get(tag)
    if (kept === undefined) return
    const left = (kept.unfinished.get(client) ?? 1) - 1
    if (left > 0) kept.unfinished.set(client, left)
    else kept.unfinished.delete(client)
    if (kept.unfinished.size === 0) this.#kept.set(tag, kept, { ttl: SENT_MS })
  }

  /** Drops one list: first one that no client needs, else the one whose clients all have the most other lists. */
  #makeRoom(): void {
    this.#kept.purgeStale()
    if (this.#kept.size < MAX_KEPT) return
    const lists = new Counts<string>()
    for (const { unfinished } of this.#kept.values()) {
      for (const client of unfinished.keys()) lists.add(client)
    }
    let [dropped, most] = ['', 0]
    // Oldest first.
    for (const tag of this.#kept.rkeys()) {
      const clients = [...(this.#kept.peek(tag)?.unfinished.keys() ?? [])]
      const fewest = Math.min(...clients.map((client) => lists.of(client)))
      if (fewest > most) [dropped, most] = [tag, fewest]
    }
    this.#kept.delete(dropped)
  }
}
