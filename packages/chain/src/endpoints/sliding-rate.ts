import { SECOND } from '@dexfeed/dex'

/** Measures a rate over the last milliseconds. */
export class SlidingRate {
  readonly #windowMs: number
  /** Start of the current window. The previous window counts by the part that still overlaps. */
  #from = Number.NEGATIVE_INFINITY
  #count = 0
  #before = 0

  constructor(windowMs: number) {
    this.#windowMs = windowMs
  }

  add(now: number, amount: number): void {
    this.#moveTo(now)
    this.#count += amount
  }

  /** The rate over the last window; the part before its last boundary is estimated. */
  perS(now: number): number {
    this.#moveTo(now)
    const left = 1 - (now - this.#from) / this.#windowMs
    return ((this.#count + this.#before * left) * SECOND) / this.#windowMs
  }

  #moveTo(now: number): void {
    const passed = now - this.#from
    if (passed < this.#windowMs) return
    this.#before = passed < 2 * this.#windowMs ? this.#count : 0
    this.#count = 0
    this.#from = passed < 2 * this.#windowMs ? this.#from + this.#windowMs : now
  }
}
