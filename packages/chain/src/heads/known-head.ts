import type { BlockHeader } from '@dexfeed/dex'

/** An announced head this far above the last one that an endpoint showed is asked about first. */
const MOST_AHEAD = 64

/**
 * The head as those who watch it have learnt it, by announcements and polls, so that it need not be asked for again.
 * What is announced is a claim: the blocks themselves are read and proven, and whoever cannot read them forgets it.
 */
export class KnownHead {
  readonly #freshMs: number
  #header: BlockHeader | null = null
  #isAnnounced = false
  #confirmedAt = Number.NEGATIVE_INFINITY

  /** @param freshMs for how long a head counts that nothing confirmed */
  constructor(freshMs: number) {
    this.#freshMs = freshMs
  }

  /** Null: it must be asked for. */
  at(now: number): BlockHeader | null {
    return now - this.#confirmedAt <= this.#freshMs ? this.#header : null
  }

  /** A notification of a new head; null where it has no readable header. */
  announced(header: BlockHeader | null, now: number): void {
    const last = this.#header
    if (header === null || last === null || header.number > last.number + MOST_AHEAD) this.forget()
    else this.#take(header, true, now)
  }

  /** An endpoint's latest block. One that is behind what was announced says nothing. */
  shown(header: BlockHeader, now: number): void {
    if (this.#isAnnounced && this.#header !== null && header.number < this.#header.number) return
    this.#take(header, this.#isAnnounced && header.hash === this.#header?.hash, now)
  }

  /** The number of an endpoint's latest block: another one must be asked for. */
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
