import { type Address, type BlockRange, MINUTE, PassableTokens, type Standing } from '@dexfeed/dex'
import type { MarketFrame, Reader } from '@dexfeed/store'

/** How often all moves are read again: replaced rows of final blocks show only then. */
const LIFE_MS = 10 * MINUTE

/** What receipts show of a token's transfers. */
export interface TransferEvidence {
  /** Why routes may pass through it: `trusted` by the configuration, `moves` prove it, `none`: they may not. */
  proof: 'trusted' | 'moves' | 'none'
  /** Moves of about a week, and how many arrived short. Of trusted tokens only short moves are stored. */
  moves: number
  short: number
}

/** The moves of tokens between pools in the week before the head. */
export class KnownMoves {
  #tokens = new PassableTokens()
  #trusted: ReadonlySet<Address> = new Set()
  /** Since the last call of `changes`. */
  #changed = new Set<Address>()
  #covered: readonly BlockRange[] = []
  #readAt = Number.NEGATIVE_INFINITY
  readonly #lifeMs: number
  /** Grows when passable tokens may have changed. */
  version = 0

  constructor(lifeMs = LIFE_MS) {
    this.#lifeMs = lifeMs
  }

  /**
   * Reads the moves of newly covered blocks, and at intervals those of all.
   *
   * @param ancestor blocks above it were rolled back
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
      // A later page may end what makes a token of this page passable.
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
    // Without a head nothing was read.
    this.#covered = network.head === null ? [] : network.covered
  }

  evidence(token: Address): TransferEvidence {
    const standing = this.#standing(token)
    if (standing === 'listed') return { proof: 'trusted', moves: 0, short: 0 }
    return { proof: standing === 'proven' ? 'moves' : 'none', ...this.#tokens.counts(token) }
  }

  /** Makes the next update read all moves. */
  forget(): void {
    this.#readAt = Number.NEGATIVE_INFINITY
  }

  /**
   * Returns the tokens that may have changed since the last call. Trusted tokens are listed unless they arrive short.
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
