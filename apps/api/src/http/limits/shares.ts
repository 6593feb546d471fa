import { notNow } from '../http-failure.ts'
import type { SharedLimit } from './shared-limits.ts'

/** How many of something clients may hold at a time. */
export interface ShareLimits {
  /** All clients together. */
  total: number
  /** One client. */
  perClient: number
}

/** Places that are held for long. A client that has all of its share leaves the others theirs. */
export class Shares implements SharedLimit {
  readonly #limits: ShareLimits
  readonly #held = new Map<string, number>()
  #total = 0
  #elsewhere: ReadonlyMap<string, number> = new Map()

  constructor(limits: ShareLimits) {
    this.#limits = limits
  }

  get held(): number {
    return this.#total
  }

  /** Whose limit keeps a client from taking more: its own, that of all together, or none. */
  fullFor(client: string): 'client' | 'all' | null {
    const held = (this.#held.get(client) ?? 0) + (this.#elsewhere.get(client) ?? 0)
    if (held >= this.#limits.perClient) return 'client'
    return this.#total >= this.#limits.total ? 'all' : null
  }

  taken(): Record<string, number> {
    return Object.fromEntries(this.#held)
  }

  takenElsewhere(byClient: ReadonlyMap<string, number>): void {
    this.#elsewhere = byClient
  }

  /**
   * Takes a place, or an amount, however large where there is any left; the function that comes back gives it up.
   *
   * @throws HttpFailure 503 when the client's share, or everything, is taken
   */
  take(client: string, what: string, amount = 1): () => void {
    const full = this.fullFor(client)
    if (full === 'client') throw notNow(`too many ${what} are being sent to you`, 2)
    if (full === 'all') throw notNow(`too many ${what} are being sent`, 2)
    const held = this.#held.get(client) ?? 0
    this.#held.set(client, held + amount)
    this.#total += amount
    let isGivenUp = false
    return () => {
      if (isGivenUp) return
      isGivenUp = true
      this.#total -= amount
      const left = (this.#held.get(client) ?? amount) - amount
      if (left <= 0) this.#held.delete(client)
      else this.#held.set(client, left)
    }
  }
}

export interface QueueLimits {
  /** So much runs at a time. */
  slots: number
  /** So much of one client may wait. */
  perClient: number
  /** So much of all may wait; then whoever has as much waiting as would be its part of that waits no more. */
  total: number
}

/** Short work, some of it at a time; clients that wait have their turns one after the other, whoever asks most. */
export class FairQueue {
  readonly #limits: QueueLimits
  /** In the order of their next turn. */
  readonly #clients = new Map<string, (() => void)[]>()
  #running = 0
  #waiting = 0

  constructor(limits: QueueLimits) {
    this.#limits = limits
  }

  /** Whether work would begin at once; nobody waits then. */
  get isFree(): boolean {
    return this.#running < this.#limits.slots
  }

  /**
   * @param work is told whether it had to wait
   * @throws HttpFailure 503 when too much of the client's is waiting already
   */
  async run<T>(client: string, work: (hasWaited: boolean) => Promise<T>): Promise<T> {
    const { isFree } = this
    if (isFree) this.#running++
    else await this.#turn(client)
    try {
      return await work(!isFree)
    } finally {
      this.#handOn()
    }
  }

  /** Waits until somebody's slot is handed on. */
  #turn(client: string): Promise<void> {
    const waiting = this.#clients.get(client) ?? []
    const { perClient, total } = this.#limits
    const clients = this.#clients.size + (waiting.length === 0 ? 1 : 0)
    const share = this.#waiting < total ? perClient : Math.min(perClient, Math.floor(total / clients))
    if (waiting.length >= Math.max(1, share)) throw notNow('too many of your requests are waiting', 1)
    this.#waiting++
    return new Promise((resolve) => {
      waiting.push(resolve)
      this.#clients.set(client, waiting)
    })
  }

  #handOn(): void {
    const [first] = this.#clients
    if (first === undefined) {
      this.#running--
      return
    }
    const [client, waiting] = first
    const start = waiting.shift()
    this.#waiting--
    if (waiting.length === 0) this.#clients.delete(client)
    else if (this.#clients.size > 1) {
      // Behind the others that wait.
      this.#clients.delete(client)
      this.#clients.set(client, waiting)
    }
    start?.()
  }
}
