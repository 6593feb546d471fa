const INITIAL_SLOTS = 256
const INITIAL_SIZE = 64
const EMPTY = -1
/** Follows the last link of a list. */
export const END = -1
const NOWHERE = -2

/**
 * Finds the link between two tokens by their ids. It is a hash table in columns, because a market has hundreds of
 * thousands of links. Uses open addressing with linear probing and no deletion marks.
 */
export class LinkIndex {
  /** By slot; the link leads from the lower id to the higher one. */
  #low = new Int32Array(INITIAL_SLOTS).fill(EMPTY)
  #high = new Int32Array(INITIAL_SLOTS)
  #link = new Int32Array(INITIAL_SLOTS)
  #size = 0

  /** Returns the link between two tokens, if there is one; `link ^ 1` is the opposite link. */
  get(from: number, to: number): number | undefined {
    const slot = from < to ? this.#slotOf(from, to) : this.#slotOf(to, from)
    if (this.#low[slot] === EMPTY) return undefined
    const link = this.#link[slot] as number
    return from < to ? link : link ^ 1
  }

  /** The two tokens must not have a link yet. */
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

/** A list of links for each token, in columns. A link is on at most one list. */
export class LinkLists {
  next = new Int32Array(INITIAL_SIZE)
  #previous = new Int32Array(INITIAL_SIZE).fill(NOWHERE)
  #first = new Int32Array(INITIAL_SIZE).fill(END)
  #count = new Int32Array(INITIAL_SIZE)

  first(token: number): number {
    return this.#first[token] ?? END
  }

  count(token: number): number {
    // The columns end with the last token that had a link.
    return this.#count[token] ?? 0
  }

  add(token: number, link: number): void {
    this.#reach(token, link)
    if (this.#previous[link] !== NOWHERE) return
    const after = this.#first[token] as number
    this.next[link] = after
    this.#previous[link] = END
    if (after !== END) this.#previous[after] = link
    this.#first[token] = link
    this.#count[token] = (this.#count[token] as number) + 1
  }

  remove(token: number, link: number): void {
    const before = this.#previous[link] ?? NOWHERE
    const after = this.next[link] as number
    if (before === NOWHERE) return
    if (before === END) this.#first[token] = after
    else this.next[before] = after
    if (after !== END) this.#previous[after] = before
    this.#previous[link] = NOWHERE
    this.#count[token] = (this.#count[token] as number) - 1
  }

  #reach(token: number, link: number): void {
    if (token >= this.#first.length) {
      this.#first = grown(this.#first, token, END)
      this.#count = grown(this.#count, token)
    }
    if (link >= this.next.length) {
      this.next = grown(this.next, link)
      this.#previous = grown(this.#previous, link, NOWHERE)
    }
  }
}

/** Stores at most one marked link per token, by token id. Clearing the marks only starts a new round. */
export class MarkedLinks {
  #links = new Int32Array(0)
  /** The round in which each token's link was marked. */
  #rounds = new Int32Array(0)
  #round = 0

  /** Clears all marks. @param tokens upper limit on token ids, exclusive */
  begin(tokens: number): void {
    if (tokens > this.#links.length) {
      this.#links = new Int32Array(2 * tokens)
      this.#rounds = new Int32Array(2 * tokens)
      this.#round = 0
    }
    this.#round++
  }

  mark(token: number, link: number): void {
    this.#links[token] = link
    this.#rounds[token] = this.#round
  }

  get(token: number): number | undefined {
    return this.#rounds[token] === this.#round ? this.#links[token] : undefined
  }
}

export function grown<T extends Int32Array | Float64Array | Uint8Array>(column: T, index: number, rest = 0): T {
  const size = Math.max(2 * column.length, index + 1)
  const longer = new (column.constructor as new (size: number) => T)(size)
  longer.set(column)
  if (rest !== 0) longer.fill(rest, column.length)
  return longer
}
