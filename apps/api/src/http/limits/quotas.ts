import { Counts } from '@dexfeed/dex'
import { notNow } from '../http-failure.ts'

export interface QuotaLimits {
  total: number
  perClient: number
}

export class Quotas {
  readonly #limits: QuotaLimits
  readonly #held = new Counts<string>()
  #total = 0

  constructor(limits: QuotaLimits) {
    this.#limits = limits
  }

  get held(): number {
    return this.#total
  }

  fullFor(client: string): 'client' | 'all' | null {
    if (this.#held.of(client) >= this.#limits.perClient) return 'client'
    return this.#total >= this.#limits.total ? 'all' : null
  }

  /**
   * Takes a place, or an amount of any size, unless a limit is already reached. Returns a function that releases it.
   *
   * @throws HttpFailure 503
   */
  take(client: string, what: string, amount = 1): () => void {
    const full = this.fullFor(client)
    if (full === 'client') throw notNow(`too many ${what} are being sent to you`, 2)
    if (full === 'all') throw notNow(`too many ${what} are being sent`, 2)
    this.#held.add(client, amount)
    this.#total += amount
    let isReleased = false
    return () => {
      if (isReleased) return
      isReleased = true
      this.#total -= amount
      if (this.#held.add(client, -amount) <= 0) this.#held.delete(client)
    }
  }
}

export interface QueueLimits {
  slots: number
  perClient: number
  /** Maximum number of waiting pieces; beyond it, a client that has its equal share is refused. */
  total: number
}

export class FairQueue {
  readonly #limits: QueueLimits
  readonly #clients = new Map<string, (() => void)[]>()
  #running = 0
  #waiting = 0

  constructor(limits: QueueLimits) {
    this.#limits = limits
  }

  get isFree(): boolean {
    return this.#running < this.#limits.slots
  }

  /** @throws HttpFailure 503 if too much work of the client waits */
  async run<T>(client: string, work: () => Promise<T>): Promise<T> {
    if (this.isFree) this.#running++
    else await this.#turn(client)
    try {
      return await work()
    } finally {
      this.#release()
    }
  }

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

  #release(): void {
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
      this.#clients.delete(client)
      this.#clients.set(client, waiting)
    }
    start?.()
  }
}
