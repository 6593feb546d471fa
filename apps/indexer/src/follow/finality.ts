/** Tracks the last final block: the nodes' claim, but never above a block that was read and linked. */
export class Finality {
  readonly #depth: number
  #number = 0
  /** 0 if the latest claim was not trusted. */
  #claimed = 0

  constructor(depth: number) {
    this.#depth = depth
  }

  get highest(): number {
    return Math.max(this.#number, this.#claimed)
  }

  claim(number: number): void {
    this.#claimed = number
  }

  /** Returns the last final block once this linked block is committed. It never decreases. */
  at(number: number): number {
    const deep = number <= this.#claimed ? number : number - this.#depth
    return Math.max(this.#number, Math.min(this.#claimed, deep))
  }

  committed(number: number): void {
    this.#number = number
  }
}
