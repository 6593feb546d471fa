import { setImmediate as turn } from 'node:timers/promises'
import type { RequestHandler } from 'express'
import { clientOf } from './client-of.ts'
import { FairQueue, type QueueLimits } from './quotas.ts'

const QUEUE: QueueLimits = { slots: 1, perClient: 2_048, total: 8_192 }

const SLICE_MS = 4

/**
 * Runs blocking work one piece at a time, with clients in turn, so that a client waits for only a few pieces of each
 * other client.
 */
export class Turns {
  readonly #queue = new FairQueue(QUEUE)
  #endsAt = 0

  /** Whether work can begin without waiting for a turn, which costs as much as a short response. */
  get isFree(): boolean {
    return this.#queue.isFree && !this.#isOver
  }

  run<T>(client: string, work: () => T | Promise<T>): Promise<T> {
    return this.#queue.run(client, async () => {
      try {
        return await work()
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

export function inTurn(turns: Turns): RequestHandler {
  return (request, _response, next) => {
    if (turns.isFree) return next()
    const begin = () => (request.socket.destroyed ? undefined : next())
    turns.run(clientOf(request), begin).catch(next)
  }
}
