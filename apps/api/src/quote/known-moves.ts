import { type Address, type BlockRange, MINUTE, PassableTokens } from '@dexfeed/dex'
import type { MarketFrame, Reader } from '@dexfeed/store'

/** Rows of final blocks that were replaced show in moves of tokens only when all are read again. */
const LIFE_MS = 10 * MINUTE

/** The moves of tokens between pools in the week before the head, as far as they decide where routes may lead. */
export class KnownMoves {
  #tokens = new PassableTokens()
  #covered: readonly BlockRange[] = []
  #readAt = Number.NEGATIVE_INFINITY
  /** Grows when what routes may lead through has to be worked out again because of moves. */
  version = 0

  /**
   * Reads the moves of blocks that are newly covered, and now and then those of all.
   *
   * @param ancestor blocks above it were rolled back; null: none
   */
  async update(reader: Pick<Reader, 'tokenMoves'>, { network }: MarketFrame, ancestor: number | null): Promise<void> {
    const isOld = performance.now() - this.#readAt > LIFE_MS
    const tokens = isOld ? new PassableTokens() : this.#tokens
    if (!isOld && ancestor !== null) {
      tokens.rollBack(ancestor)
      this.#covered = upTo(this.#covered, ancestor)
      this.version++
    }
    await reader.tokenMoves(network, isOld ? [] : this.#covered, (page) => {
      tokens.add(page, network.finalNumber ?? -1)
      this.version++
    })
    if (isOld) [this.#tokens, this.#readAt] = [tokens, performance.now()]
    tokens.settle(network.finalNumber ?? -1)
    this.#covered = network.covered
  }

  /** The next update reads all. */
  forget(): void {
    this.#readAt = Number.NEGATIVE_INFINITY
  }

  /** The tokens that routes may lead through: those that need no proof, and those that their moves prove. */
  passable({ network, trusted }: MarketFrame): ReadonlySet<Address> {
    const passable = this.#tokens.at(network.head?.timestamp ?? 0)
    for (const token of trusted) passable.add(token)
    return passable
  }
}

function upTo(ranges: readonly BlockRange[], last: number): BlockRange[] {
  return ranges.filter(({ from }) => from <= last).map(({ from, to }) => ({ from, to: Math.min(to, last) }))
}
