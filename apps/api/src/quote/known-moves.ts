import { type Address, type BlockRange, MINUTE, PassableTokens } from '@dexfeed/dex'
import type { MarketFrame, Reader } from '@dexfeed/store'

/** Rows of final blocks that were replaced show in moves of tokens only when all are read again. */
const LIFE_MS = 10 * MINUTE

/** The moves of tokens between pools in the week before the head, as far as they decide where routes may lead. */
export class KnownMoves {
  #tokens = new PassableTokens()
  #trusted: ReadonlySet<Address> = new Set()
  /** Tokens of which it may have changed since it was told. */
  #changed = new Set<Address>()
  #covered: readonly BlockRange[] = []
  #readAt = Number.NEGATIVE_INFINITY
  readonly #lifeMs: number
  /** Grows when what routes may lead through has to be worked out again because of moves. */
  version = 0

  constructor(lifeMs = LIFE_MS) {
    this.#lifeMs = lifeMs
  }

  /**
   * Reads the moves of blocks that are newly covered, and now and then those of all.
   *
   * @param ancestor blocks above it were rolled back; null: none
   */
  async update(reader: Pick<Reader, 'tokenMoves'>, { network }: MarketFrame, ancestor: number | null): Promise<void> {
    const isOld = performance.now() - this.#readAt >= this.#lifeMs
    const tokens = isOld ? new PassableTokens() : this.#tokens
    if (!isOld && ancestor !== null) {
      tokens.rollBack(ancestor)
      this.#covered = upTo(this.#covered, ancestor)
      this.version++
    }
    await reader.tokenMoves(network, isOld ? [] : this.#covered, (page) => {
      tokens.add(page, network.finalNumber ?? -1)
      // A page's tokens now, not all of them in the end.
      this.#note(tokens.update(network.head?.timestamp ?? 0))
      this.version++
    })
    if (isOld) {
      this.#note(this.#tokens.passable)
      ;[this.#tokens, this.#readAt] = [tokens, performance.now()]
    }
    tokens.settle(network.finalNumber ?? -1)
    // Without a head nothing was read.
    this.#covered = network.head === null ? [] : network.covered
  }

  /** The next update reads all. */
  forget(): void {
    this.#readAt = Number.NEGATIVE_INFINITY
  }

  /**
   * Tokens of which it may have changed since this was asked, each with whether routes may lead through it: those that
   * need no proof, and those that their moves prove.
   */
  changes({ network, trusted }: MarketFrame): [Address, boolean][] {
    this.#note(this.#tokens.update(network.head?.timestamp ?? 0))
    const trustedNow = new Set(trusted)
    if (trustedNow.size !== this.#trusted.size || trusted.some((token) => !this.#trusted.has(token))) {
      this.#note(this.#trusted)
      this.#note(trustedNow)
      this.#trusted = trustedNow
    }
    const changed = this.#changed
    this.#changed = new Set()
    return [...changed].map((token) => [token, this.#trusted.has(token) || this.#tokens.passable.has(token)])
  }

  #note(tokens: Iterable<Address>): void {
    for (const token of tokens) this.#changed.add(token)
  }
}

function upTo(ranges: readonly BlockRange[], last: number): BlockRange[] {
  return ranges.filter(({ from }) => from <= last).map(({ from, to }) => ({ from, to: Math.min(to, last) }))
}
