import { setImmediate as turn } from 'node:timers/promises'

/** Limits the time of consecutive work before other work of the process gets its turn. */
export class Slice {
  readonly #ms: number
  #endsAt = 0

  constructor(ms: number) {
    this.#ms = ms
  }

  isOver(): boolean {
    return performance.now() >= this.#endsAt
  }

  /** Lets other work run, then starts a new slice. */
  async next(): Promise<void> {
    await turn()
    this.#endsAt = performance.now() + this.#ms
  }
}
