const INITIAL_SIZE = 64
/** After the last link of a list. */
export const END = -1
/** Marks a link that is not on a list. */
const NOWHERE = -2

/** A list of links per token, in columns; a link is on at most one list. Adding and removing need no search. */
export class LinkLists {
  /** For each link, the next one of its list, or END. */
  next = new Int32Array(INITIAL_SIZE)
  #previous = new Int32Array(INITIAL_SIZE).fill(NOWHERE)
  #first = new Int32Array(INITIAL_SIZE).fill(END)
  #count = new Int32Array(INITIAL_SIZE)

  /** Returns the first link of a token's list, or END. */
  first(token: number): number {
    return this.#first[token] ?? END
  }

  count(token: number): number {
    // The columns end with the last token that had a link.
    return this.#count[token] ?? 0
  }

  /** Adds a link; does nothing if it is on the list already. */
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

  /** Removes a link from the token's list; does nothing if it is not on a list. */
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

/** One link for some tokens, by token id. The next search reuses the columns, so clearing is free. */
export class MarkedLinks {
  #links = new Int32Array(0)
  /** For each token, the round in which its link was marked. */
  #rounds = new Int32Array(0)
  #round = 0

  /** Clears all marks. @param tokens ids are below this */
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

/** Returns a longer copy of a column, with room for an index; new entries are `rest`. */
export function grown<T extends Int32Array | Float64Array | Uint8Array>(column: T, index: number, rest = 0): T {
  const size = Math.max(2 * column.length, index + 1)
  const longer = new (column.constructor as new (size: number) => T)(size)
  longer.set(column)
  if (rest !== 0) longer.fill(rest, column.length)
  return longer
}
