/** A stretch of this many blocks with this many trades, all of them as on the chain, lies below a fork. */
const BLOCKS = 1_000
const TRADES = 100

/**
 * Finds out, walking back from the newest rows, from where on the database is on the chain's branch: below the first
 * stretch without a break that is long enough in blocks and in trades. Trades count beside blocks because blocks without
 * trades agree with any chain.
 */
export class AgreeingStretch {
  #blocks = 0
  #trades = 0

  /** @returns whether the walk may end */
  add({ blocks, trades, agrees }: { blocks: number; trades: number; agrees: boolean }): boolean {
    this.#blocks = agrees ? this.#blocks + blocks : 0
    this.#trades = agrees ? this.#trades + trades : 0
    return this.#blocks >= BLOCKS && this.#trades >= TRADES
  }
}
