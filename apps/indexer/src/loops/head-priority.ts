import { SECOND } from '@dexfeed/dex'

/** A head that is not committed this long after its announcement is late. */
const LATE_MS = SECOND
/** While a head is late, bulk work begins only below this share of busy time. */
const BUSY = 0.7
const POLL_MS = 25
/** After this, bulk work begins in any case. */
const LONGEST_TURN_MS = 4 * SECOND

export interface HeadPriorityOptions {
  now?: () => number
  /** Returns the share of busy time since the previous call, 0 to 1. */
  busyShare?: () => number
}

/** Holds bulk work back while a head is late and the thread is busy. */
export class HeadPriority {
  readonly #now: () => number
  readonly #busyShare: () => number
  readonly #steps = new Map<object, number>()
  readonly #waiting: { since: number; begin: () => void }[] = []
  #timer: NodeJS.Timeout | null = null

  constructor({ now = () => performance.now(), busyShare = busyShareOfProcess() }: HeadPriorityOptions = {}) {
    this.#now = now
    this.#busyShare = busyShare
  }

  beginStep(announcedAt: number = this.#now()): () => void {
    const step = {}
    this.#steps.set(step, announcedAt)
    return () => {
      this.#steps.delete(step)
    }
  }

  async bulkTurn(): Promise<void> {
    if (this.#waiting.length === 0 && !this.#isLate()) return
    const turn = new Promise<void>((begin) => this.#waiting.push({ since: this.#now(), begin }))
    if (this.#timer === null) {
      this.#busyShare()
      this.#timer = setInterval(() => this.#poll(), POLL_MS)
    }
    await turn
  }

  #poll(): void {
    const busy = this.#busyShare()
    const [first] = this.#waiting
    const isOver = first !== undefined && this.#now() - first.since >= LONGEST_TURN_MS
    if (!this.#isLate()) for (const { begin } of this.#waiting.splice(0)) begin()
    else if (busy < BUSY || isOver) this.#waiting.shift()?.begin()
    if (this.#waiting.length > 0 || this.#timer === null) return
    clearInterval(this.#timer)
    this.#timer = null
  }

  #isLate(): boolean {
    const before = this.#now() - LATE_MS
    return [...this.#steps.values()].some((since) => since < before)
  }
}

function busyShareOfProcess(): () => number {
  let last = performance.eventLoopUtilization()
  return () => {
    const before = last
    last = performance.eventLoopUtilization()
    return performance.eventLoopUtilization(last, before).utilization
  }
}
