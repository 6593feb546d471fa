import { setImmediate as turn } from 'node:timers/promises'
import { FairQueue, type QueueLimits } from './quotas.ts'

/** One piece at a time. Queue limits: per client and total. */
const QUEUE: QueueLimits = { slots: 1, perClient: 2_048, total: 8_192 }

/** Milliseconds of work before the event loop runs once. */
const SLICE_MS = 4

/**
 * Runs pieces of work that block the process: one at a time, clients in turn. After some milliseconds the event loop
 * runs once. So a client waits for a few pieces of each other client at most, however many those have.
 */
export class Turns {
  readonly #queue = new FairQueue(QUEUE)
  /** When the slice is over: `performance.now()`. */
  #endsAt = 0

  /** Whether work could begin immediately, without a turn: one in an empty queue costs as much as a short response. */
  get isFree(): boolean {
    return this.#queue.isFree && !this.#isOver
  }

  /**
   * Runs work when it is the client's turn.
   *
   * @param work gets whether it had to wait
   * @throws HttpFailure 503 if too much work of the client waits already
   */
  run<T>(client: string, work: (hasWaited: boolean) => T | Promise<T>): Promise<T> {
    return this.#queue.run(client, async (hasWaited) => {
      try {
        return await work(hasWaited)
      } finally {
        if (this.#isOver) {
          await turn()
          this.#endsAt = performance.now() + SLICE_MS
        }
      }
    })
  }

  /** Resolves when it is the client's turn. What follows until the next `await` belongs to the turn. */
  next(client: string): Promise<void> {
    return this.run(client, () => undefined)
  }

  get #isOver(): boolean {
    return performance.now() >= this.#endsAt
  }
}
