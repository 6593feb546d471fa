/** Work at the head goes before work in bulk. */
export type Priority = 'live' | 'bulk'

/** Slots that only work at the head may take, so that a backfill never keeps it waiting. */
const LIVE_SLOTS = 2
/** Requests that must succeed before one more may run at a time, after a slow-down. */
const RECOVERY = 40

/** Bounds the requests in flight to one endpoint. */
export interface RequestGate {
  /** Runs the work when a slot is free. */
  run<T>(priority: Priority, work: () => Promise<T>): Promise<T>
  /** Halves the slots: the endpoint said that it is too much. They come back one by one with success. */
  slowDown(): void
  served(): void
}

export function requestGate(slots: number): RequestGate {
  const waiting: Record<Priority, (() => void)[]> = { live: [], bulk: [] }
  let allowed = slots
  let running = 0
  let good = 0

  const room = (priority: Priority): boolean =>
    running < (priority === 'live' ? allowed + LIVE_SLOTS : Math.max(1, allowed))
  const wake = (): void => {
    for (const priority of ['live', 'bulk'] as const) {
      while (room(priority)) {
        const next = waiting[priority].shift()
        if (!next) break
        running++
        next()
      }
    }
  }

  return {
    run: async (priority, work) => {
      if (waiting[priority].length === 0 && room(priority)) running++
      else await new Promise<void>((resolve) => waiting[priority].push(resolve))
      try {
        return await work()
      } finally {
        running--
        wake()
      }
    },
    slowDown: () => {
      allowed = Math.max(1, allowed >> 1)
      good = 0
    },
    served: () => {
      if (allowed >= slots || ++good % RECOVERY !== 0) return
      allowed++
      wake()
    },
  }
}
