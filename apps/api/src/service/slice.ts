import { setImmediate as turn } from 'node:timers/promises'

/** Time that work may take in one go, piece by piece, before everything else that waits for the process has a turn. */
export class Slice {
  readonly #ms: number
  #endsAt = 0

  constructor(ms: number) {
    this.#ms = ms
  }

  isOver(): boolean {
    return performance.now() >= this.#endsAt
  }

  /** Lets everything else have its turn; then a new slice begins. */
  async next(): Promise<void> {
    await turn()
    this.#endsAt = performance.now() + this.#ms
  }
}
