/** No second link: a way of two links. */
export const NO_LINK = -1

/** Ways along tokens, and what does not come out of them: in columns, since there may be ten thousands. */
export class Ways {
  readonly #firsts: number[] = []
  readonly #seconds: number[] = []
  readonly #lasts: number[] = []
  readonly #potentials: number[] = []

  add(first: number, second: number, last: number, potential: number): void {
    this.#firsts.push(first)
    this.#seconds.push(second)
    this.#lasts.push(last)
    this.#potentials.push(potential)
  }

  /** Visits those of this potential at least. */
  forEach(least: number, visit: (first: number, second: number, last: number) => void): void {
    for (let at = 0; at < this.#potentials.length; at++) {
      if ((this.#potentials[at] as number) < least) continue
      visit(this.#firsts[at] as number, this.#seconds[at] as number, this.#lasts[at] as number)
    }
  }
}
