import { SECOND } from '@dexfeed/dex'

/** A head that is not committed so long after it was announced is late. */
const LATE_MS = SECOND
/** Which share of its time a process may be busy while a head is late, for more work in bulk to begin. */
const BUSY = 0.7
const LOOK_EVERY_MS = 25
/** Work in bulk goes on after this time, whatever happens. */
const LONGEST_TURN_MS = 4 * SECOND

export interface HeadPriorityOptions {
  /** Milliseconds; only differences count. */
  now?: () => number
  /** The share of the time since it was asked before that the process was busy, 0 to 1. */
  busyShare?: () => number
}

/**
 * Keeps the time of a process for the heads of all its networks: history and pool states share its one thread with
 * them, and begin nothing more while a head is late and the thread has no time left.
 */
export class HeadPriority {
  readonly #now: () => number
  readonly #busyShare: () => number
  /** The steps under way, and since when the heads that they lead to are known. */
  readonly #steps = new Map<object, number>()
  readonly #waiting: { since: number; go: () => void }[] = []
  #timer: NodeJS.Timeout | null = null

  constructor({ now = () => performance.now(), busyShare = busyShareOfProcess() }: HeadPriorityOptions = {}) {
    this.#now = now
    this.#busyShare = busyShare
  }

  /**
   * A step towards a head begins.
   *
   * @param announcedAt when that head was announced; default: now
   * @returns what to call when the step is over, however it ended
   */
  beginStep(announcedAt: number = this.#now()): () => void {
    const step = {}
    this.#steps.set(step, announcedAt)
    return () => {
      this.#steps.delete(step)
    }
  }

  /** Resolves when a piece of work in bulk may begin, in the order asked; in a process with time left, at once. */
  async bulkTurn(): Promise<void> {
    if (this.#waiting.length === 0 && !this.#isLate()) return
    const turn = new Promise<void>((go) => this.#waiting.push({ since: this.#now(), go }))
    if (this.#timer === null) {
      this.#busyShare()
      this.#timer = setInterval(() => this.#poll(), LOOK_EVERY_MS)
    }
    await turn
  }

  #poll(): void {
    const busy = this.#busyShare()
    const [first] = this.#waiting
    const isOver = first !== undefined && this.#now() - first.since >= LONGEST_TURN_MS
    if (!this.#isLate()) for (const { go } of this.#waiting.splice(0)) go()
    else if (busy < BUSY || isOver) this.#waiting.shift()?.go()
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
