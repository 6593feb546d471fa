const INITIAL_SIZE = 64
/** Behind the last link of a list. */
export const END = -1
/** Before a link that is on no list. */
const NOWHERE = -2

/** A list of links for each token, in columns; a link is on one of them at most. Adding and taking out need no search. */
export class LinkLists {
  /** By link: the next one of its list, or END. */
  next = new Int32Array(INITIAL_SIZE)
  #previous = new Int32Array(INITIAL_SIZE).fill(NOWHERE)
  #first = new Int32Array(INITIAL_SIZE).fill(END)
  #count = new Int32Array(INITIAL_SIZE)

  /** The first link of a token's list, or END. */
  first(token: number): number {
    return this.#first[token] ?? END
  }

  count(token: number): number {
    return this.#count[token] ?? 0
  }

  /** Puts a link that is on no list on the token's. */
  add(token: number, link: number): void {
    this.#reach(token, link)
    const behind = this.#first[token] as number
    this.next[link] = behind
    this.#previous[link] = END
    if (behind !== END) this.#previous[behind] = link
    this.#first[token] = link
    this.#count[token] = (this.#count[token] as number) + 1
  }

  /** Takes a link off the token's list; one that is on none stays so. */
  remove(token: number, link: number): void {
    const [before, behind] = [this.#previous[link] ?? NOWHERE, this.next[link] as number]
    if (before === NOWHERE) return
    if (before === END) this.#first[token] = behind
    else this.next[before] = behind
    if (behind !== END) this.#previous[behind] = before
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

/** A link for some of the tokens, by their ids. Columns that stay from one search to the next: clearing them costs nothing. */
export class MarkedLinks {
  #links = new Int32Array(0)
  /** By token: the round in which its link was marked. */
  #rounds = new Int32Array(0)
  #round = 0

  /** Forgets all. @param tokens ids are below this */
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

/** A longer copy of a column, with room for an index; what is new holds `rest`. */
export function grown<T extends Int32Array | Float64Array | Uint8Array>(column: T, index: number, rest = 0): T {
  const size = Math.max(2 * column.length, index + 1)
  const longer = new (column.constructor as new (size: number) => T)(size)
  longer.set(column)
  if (rest !== 0) longer.fill(rest, column.length)
  return longer
}
