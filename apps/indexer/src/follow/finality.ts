/** Computes the last final block: what the nodes claim, but never above a block that was read and linked. */
export class Finality {
  readonly #depth: number
  /** The last final block as of the last commit. */
  #number = 0
  /** The claim that came with the latest head; 0 if it was not trusted. */
  #claimed = 0

  constructor(depth: number) {
    this.#depth = depth
  }

  /** The highest block that is final or that the nodes claim to be final. */
  get highest(): number {
    return Math.max(this.#number, this.#claimed)
  }

  /** Sets the final block that the nodes claim; 0 if the claim is not trusted. */
  claim(number: number): void {
    this.#claimed = number
  }

  /** Returns the last final block once this read and linked block is committed. A final block stays final. */
  at(number: number): number {
    const deep = number <= this.#claimed ? number : number - this.#depth
    return Math.max(this.#number, Math.min(this.#claimed, deep))
  }

  committed(number: number): void {
    this.#number = number
  }
}
