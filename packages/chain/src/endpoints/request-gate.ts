/** `live` is work at the head. */
export type Priority = 'live' | 'bulk'

/** Slots reserved for the head, so that a backfill never delays it. */
const LIVE_SLOTS = 2
const RECOVERY = 40

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
    // The first condition holds even if, after a slow-down, more bulk work is running than allowed.
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
