/** Up to where the followed chain is final: by what nodes claim, and never above what was read and linked. */
export class Finality {
  readonly #depth: number
  /** As of the last commit. */
  #number = 0
  /** By the last look at the head; 0 where it was not believed. */
  #claimed = 0

  /** @param depth blocks behind the head that are taken as final */
  constructor(depth: number) {
    this.#depth = depth
  }

  /** What is or may be final. */
  get highest(): number {
    return Math.max(this.#number, this.#claimed)
  }

  /** Takes up what a look at the head claims to be final; 0: it is not believed. */
  claim(number: number): void {
    this.#claimed = number
  }

  /**
   * The last final block once this one is committed: a head that a node makes up lifts it by no more than blocks that
   * were read and linked. What is final stays so, whatever the node says next.
   */
  at(number: number): number {
    const deep = number <= this.#claimed ? number : number - this.#depth
    return Math.max(this.#number, Math.min(this.#claimed, deep))
  }

  /** Takes up what was committed as final. */
  committed(number: number): void {
    this.#number = number
  }
}
