import type { BlockHeader } from '@dexfeed/dex'
import type { Session } from '../../../endpoints/session.ts'
import { fetchHeader, fetchPresentHeader } from '../../read-header.ts'

type KnownBlock = Pick<BlockHeader, 'number' | 'hash'>

/** Keeps answers of another chain out, behind a connection that stayed open: by blocks that are known to be of this one. */
export class ChainAnchor {
  /** The lowest that was told: whoever has it has all of the history below it, and may answer out of a cache. */
  #lowest: KnownBlock | null = null
  #last: KnownBlock | null = null

  /** @param block a final one */
  know({ number, hash }: KnownBlock): void {
    this.#last = { number, hash }
    if (this.#lowest === null || number < this.#lowest.number) this.#lowest = this.#last
  }

  /**
   * To be asked where something was read: the endpoint must have a known block, one above what was read if there is one.
   *
   * @param to the last block that was read
   * @throws ChainInconsistent where it has another one in its place; its chain is checked before it is asked again
   */
  async check(session: Session, to: number): Promise<void> {
    const known = this.#lowest !== null && this.#lowest.number >= to ? this.#lowest : this.#last
    if (known === null) return
    const header = await fetchPresentHeader(session, known.number)
    if (header.hash === known.hash) return
    session.endpoint.chain = 'unchecked'
    if (known === this.#lowest) await this.#forgetLowest(session)
    throw session.inconsistent(`block ${known.number} is ${header.hash}, on this chain it is ${known.hash}`)
  }

  /**
   * Whoever has the last known block has this chain: where that is without the lowest one, a deep reorg that was repaired
   * has orphaned it. What was read with it is read again all the same.
   */
  async #forgetLowest(session: Session): Promise<void> {
    const last = this.#last
    if (last === null || last === this.#lowest) return
    const header = await fetchHeader(session, last.number)
    if (header?.hash === last.hash && last === this.#last) this.#lowest = last
  }
}
