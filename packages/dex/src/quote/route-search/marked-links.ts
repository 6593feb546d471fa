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
