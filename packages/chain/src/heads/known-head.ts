import type { BlockHeader } from '@dexfeed/dex'

/** An announced head further than this above the last verified one is not used without a request. */
const MOST_AHEAD = 64

/**
 * The head as learned from announcements and polls, so that it need not be requested again.
 *
 * An announcement is only a claim. The blocks are read and proven anyway; a reader that cannot read them calls
 * `forget`.
 */
export class KnownHead {
  readonly #freshMs: number
  #header: BlockHeader | null = null
  #isAnnounced = false
  #confirmedAt = Number.NEGATIVE_INFINITY

  /** @param freshMs how long an unconfirmed head is valid */
  constructor(freshMs: number) {
    this.#freshMs = freshMs
  }

  /** Returns the head; null if it must be requested. */
  at(now: number): BlockHeader | null {
    return now - this.#confirmedAt <= this.#freshMs ? this.#header : null
  }

  /** A socket announced a new head; null if it had no readable header. */
  announced(header: BlockHeader | null, now: number): void {
    const last = this.#header
    if (header === null || last === null || header.number > last.number + MOST_AHEAD) this.forget()
    else this.#take(header, true, now)
  }

  /** An endpoint returned its latest block. A block below the announced head is ignored. */
  shown(header: BlockHeader, now: number): void {
    if (this.#isAnnounced && this.#header !== null && header.number < this.#header.number) return
    this.#take(header, this.#isAnnounced && header.hash === this.#header?.hash, now)
  }

  /** An endpoint returned the number of its latest block. Any other number than the known one requires a request. */
  counted(number: number, now: number): void {
    if (this.#header === null || (this.#isAnnounced && number < this.#header.number)) return
    if (number === this.#header.number) this.#confirmedAt = now
    else this.forget()
  }

  forget(): void {
    this.#header = null
    this.#isAnnounced = false
  }

  #take(header: BlockHeader, isAnnounced: boolean, now: number): void {
    this.#header = header
    this.#isAnnounced = isAnnounced
    this.#confirmedAt = now
  }
}
