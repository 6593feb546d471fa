/** Work at the head goes before work in bulk. */
export type Priority = 'live' | 'bulk'

/** Slots that only work at the head may take, so that a backfill never keeps it waiting. */
const LIVE_SLOTS = 2
/** Requests that must succeed before one more may run at a time, after a slow-down. */
const RECOVERY = 40

/** Bounds the requests in flight to one endpoint. */
export class RequestGate {
  readonly #slots: number
  readonly #waiting: Record<Priority, (() => void)[]> = { live: [], bulk: [] }
  #allowed: number
  readonly #running: Record<Priority, number> = { live: 0, bulk: 0 }
  #served = 0

  constructor(slots: number) {
    this.#slots = slots
    this.#allowed = slots
  }

  /** Runs the work when a slot is free. */
  async run<T>(priority: Priority, work: () => Promise<T>): Promise<T> {
    const waiting = this.#waiting[priority]
    if (waiting.length === 0 && this.#hasRoom(priority)) this.#running[priority]++
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      return await work()
    } finally {
      this.#running[priority]--
      this.#wake()
    }
  }

  /** Halves the slots: the endpoint said that it is too much. They come back one by one with success. */
  slowDown(): void {
    this.#allowed = Math.max(1, this.#allowed >> 1)
    this.#served = 0
  }

  served(): void {
    if (this.#allowed >= this.#slots || ++this.#served % RECOVERY !== 0) return
    this.#allowed++
    this.#wake()
  }

  #hasRoom(priority: Priority): boolean {
    const { live, bulk } = this.#running
    if (priority === 'bulk') return live + bulk < Math.max(1, this.#allowed)
    // After a slow-down more may be running in bulk than is allowed.
    return live < LIVE_SLOTS || live + bulk < this.#allowed + LIVE_SLOTS
  }

  #wake(): void {
    for (const priority of ['live', 'bulk'] as const) {
      while (this.#hasRoom(priority)) {
        const next = this.#waiting[priority].shift()
        if (!next) break
        this.#running[priority]++
        next()
      }
    }
  }
}
