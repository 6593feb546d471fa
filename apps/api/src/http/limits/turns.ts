import { setImmediate as turn } from 'node:timers/promises'
import type { RequestHandler } from 'express'
import { clientOf } from './client-of.ts'
import { FairQueue, type QueueLimits } from './quotas.ts'

const QUEUE: QueueLimits = { slots: 1, perClient: 2_048, total: 8_192 }

/** Milliseconds of work before the event loop runs once. */
const SLICE_MS = 4

/**
 * Runs pieces of work that block the process, one at a time, clients in turn. So a client waits for a few pieces of each
 * other client at most, however many those have.
 */
export class Turns {
  readonly #queue = new FairQueue(QUEUE)
  /** When the slice is over. */
  #endsAt = 0

  /** Whether work could begin without a turn, which costs as much as a short response. */
  get isFree(): boolean {
    return this.#queue.isFree && !this.#isOver
  }

  /**
   * @param work gets whether it had to wait
   * @throws HttpFailure 503 if too much work of the client waits
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

  /** Resolves when it is the client's turn, which lasts until the next `await`. */
  next(client: string): Promise<void> {
    return this.run(client, () => undefined)
  }

  get #isOver(): boolean {
    return performance.now() >= this.#endsAt
  }
}

/** Lets requests begin in turns of their clients, once others have blocked the process for some milliseconds. */
export function inTurn(turns: Turns): RequestHandler {
  return (request, _response, next) => {
    if (turns.isFree) return next()
    const begin = () => (request.socket.destroyed ? undefined : next())
    turns.run(clientOf(request), begin).catch(next)
  }
}
