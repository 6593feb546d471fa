const INITIAL_SLOTS = 256
const EMPTY = -1

/**
 * Finds the link between two tokens, by their ids: a hash table in columns, because a market has hundreds of thousands
 * of links. Uses open addressing with linear probing. A deletion closes its gap, without deletion marks.
 */
export class LinkIndex {
  /** For each slot, the lower id, the higher id, and the link from the lower to the higher. */
  #low = new Int32Array(INITIAL_SLOTS).fill(EMPTY)
  #high = new Int32Array(INITIAL_SLOTS)
  #link = new Int32Array(INITIAL_SLOTS)
  #size = 0

  /** Returns the link from one token to another, or undefined; `link ^ 1` leads back. */
  get(from: number, to: number): number | undefined {
    const slot = from < to ? this.#slotOf(from, to) : this.#slotOf(to, from)
    if (this.#low[slot] === EMPTY) return undefined
    const link = this.#link[slot] as number
    return from < to ? link : link ^ 1
  }

  /** Adds a link. The two tokens must not have one yet. */
  add(from: number, to: number, link: number): void {
    if (2 * (this.#size + 1) > this.#low.length) this.#grow()
    if (from < to) this.#put(from, to, link)
    else this.#put(to, from, link ^ 1)
    this.#size++
  }

  delete(from: number, to: number): void {
    let hole = from < to ? this.#slotOf(from, to) : this.#slotOf(to, from)
    if (this.#low[hole] === EMPTY) return
    const mask = this.#low.length - 1
    // Entries that follow without a gap move into the hole, unless it lies before their home slot.
    for (let slot = (hole + 1) & mask; this.#low[slot] !== EMPTY; slot = (slot + 1) & mask) {
      const home = this.#home(this.#low[slot] as number, this.#high[slot] as number)
      if (((slot - home) & mask) < ((slot - hole) & mask)) continue
      this.#low[hole] = this.#low[slot] as number
      this.#high[hole] = this.#high[slot] as number
      this.#link[hole] = this.#link[slot] as number
      hole = slot
    }
    this.#low[hole] = EMPTY
    this.#size--
  }

  /** Returns the slot of the pair, or the empty slot for it. */
  #slotOf(low: number, high: number): number {
    const mask = this.#low.length - 1
    let slot = this.#home(low, high)
    while (this.#low[slot] !== EMPTY && (this.#low[slot] !== low || this.#high[slot] !== high)) slot = (slot + 1) & mask
    return slot
  }

  #home(low: number, high: number): number {
    const mixed = Math.imul(low, 0x9e3779b1) ^ Math.imul(high, 0x85ebca6b)
    return (mixed ^ (mixed >>> 15)) & (this.#low.length - 1)
  }

  #put(low: number, high: number, link: number): void {
    const slot = this.#slotOf(low, high)
    this.#low[slot] = low
    this.#high[slot] = high
    this.#link[slot] = link
  }

  #grow(): void {
    const low = this.#low
    const high = this.#high
    const link = this.#link
    const slots = 2 * low.length
    this.#low = new Int32Array(slots).fill(EMPTY)
    this.#high = new Int32Array(slots)
    this.#link = new Int32Array(slots)
    for (let slot = 0; slot < low.length; slot++) {
      if (low[slot] !== EMPTY) this.#put(low[slot] as number, high[slot] as number, link[slot] as number)
    }
  }
}
