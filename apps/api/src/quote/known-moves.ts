import { type Address, type BlockRange, MINUTE, PassableTokens, type Standing } from '@dexfeed/dex'
import type { MarketFrame, Reader } from '@dexfeed/store'

/** How often all moves are read again; only then do replaced rows of final blocks show. */
const LIFE_MS = 10 * MINUTE

export interface TransferEvidence {
  /** Why routes may use the token: `trusted` by the configuration, proven by `moves`, or `none` if they may not. */
  proof: 'trusted' | 'moves' | 'none'
  /** Moves of about a week, and how many of them arrived short. For trusted tokens, only short moves are stored. */
  moves: number
  short: number
}

export class KnownMoves {
  #tokens = new PassableTokens()
  #trusted: ReadonlySet<Address> = new Set()
  #changed = new Set<Address>()
  #covered: readonly BlockRange[] = []
  #readAt = Number.NEGATIVE_INFINITY
  version = 0

  /**
   * Reads the moves of newly covered blocks, and at intervals those of all blocks.
   *
   * @param ancestor blocks above it were rolled back
   */
  async update(
    reader: { tokenMoves: Reader['tokenMoves'] },
    { network }: MarketFrame,
    ancestor: number | null,
  ): Promise<void> {
    const isOld = performance.now() - this.#readAt >= LIFE_MS
    const tokens = isOld ? new PassableTokens() : this.#tokens
    if (!isOld && ancestor !== null) {
      tokens.rollBack(ancestor)
      this.#covered = upTo(this.#covered, ancestor)
      this.version++
    }
    await reader.tokenMoves(network, isOld ? [] : this.#covered, (page) => {
      tokens.add(page, network.finalNumber ?? -1)
      // A later page may show that a token of this page is not passable.
      this.#noteChanges(tokens, network)
      this.version++
    })
    if (isOld) {
      this.#note(this.#tokens.passable)
      this.#note(this.#tokens.short)
      this.#tokens = tokens
      this.#readAt = performance.now()
    }
    tokens.settle(network.finalNumber ?? -1)
    this.#covered = network.head === null ? [] : network.covered
  }

  evidence(token: Address): TransferEvidence {
    const standing = this.#standing(token)
    if (standing === 'listed') return { proof: 'trusted', moves: 0, short: 0 }
    return { proof: standing === 'proven' ? 'moves' : 'none', ...this.#tokens.counts(token) }
  }

  forget(): void {
    this.#readAt = Number.NEGATIVE_INFINITY
  }

  /**
   * Returns the tokens that may have changed since the last call, including trusted tokens unless they arrive short.
   */
  changes({ network, trusted }: MarketFrame): [Address, Standing | null][] {
    this.#noteChanges(this.#tokens, network)
    const trustedNow = new Set(trusted)
    if (trustedNow.size !== this.#trusted.size || trusted.some((token) => !this.#trusted.has(token))) {
      this.#note(this.#trusted)
      this.#note(trustedNow)
      this.#trusted = trustedNow
    }
    const changed = this.#changed
    this.#changed = new Set()
    return [...changed].map((token) => [token, this.#standing(token)])
  }

  #standing(token: Address): Standing | null {
    const isPassable = this.#tokens.passable.has(token)
    if (this.#trusted.has(token)) return isPassable || !this.#tokens.short.has(token) ? 'listed' : 'taxed'
    return isPassable ? 'proven' : null
  }

  #noteChanges(tokens: PassableTokens, { head }: MarketFrame['network']): void {
    if (head !== null) this.#note(tokens.update(head.timestamp))
  }

  #note(tokens: Iterable<Address>): void {
    for (const token of tokens) this.#changed.add(token)
  }
}

function upTo(ranges: readonly BlockRange[], last: number): BlockRange[] {
  return ranges.filter(({ from }) => from <= last).map(({ from, to }) => ({ from, to: Math.min(to, last) }))
}
