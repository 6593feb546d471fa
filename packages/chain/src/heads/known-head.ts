import type { BlockHeader } from '@dexfeed/dex'

/** An announced head further than this above the known one is not trusted; the head must be requested. */
const MAX_AHEAD = 64

/**
 * Remembers the head as announced or polled. It is only a claim: blocks are read and proven anyway, and a reader that
 * cannot read them calls `forget`.
 */
export class KnownHead {
  readonly #freshMs: number
  #header: BlockHeader | null = null
  #isAnnounced = false
  #confirmedAt = Number.NEGATIVE_INFINITY

  constructor(freshMs: number) {
    this.#freshMs = freshMs
  }

  at(now: number): BlockHeader | null {
    return now - this.#confirmedAt <= this.#freshMs ? this.#header : null
  }

  announced(header: BlockHeader | null, now: number): void {
    const last = this.#header
    if (header === null || last === null || header.number > last.number + MAX_AHEAD) this.forget()
    else this.#take(header, true, now)
  }

  shown(header: BlockHeader, now: number): void {
    if (this.#isAnnounced && this.#header !== null && header.number < this.#header.number) return
    this.#take(header, this.#isAnnounced && header.hash === this.#header?.hash, now)
  }

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
