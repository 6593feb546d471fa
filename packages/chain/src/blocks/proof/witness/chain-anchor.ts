import type { BlockHeader } from '@dexfeed/dex'
import type { Session } from '../../../endpoints/session.ts'
import { fetchHeader, fetchPresentHeader } from '../../read-header.ts'

type KnownBlock = Pick<BlockHeader, 'number' | 'hash'>

/** Detects responses of another chain over a connection that stayed open: an endpoint must have known final blocks. */
export class ChainAnchor {
  /** The lowest known block. An endpoint that has it has all history below, and can return it from a cache. */
  #lowest: KnownBlock | null = null
  #last: KnownBlock | null = null

  /** @param block a final block */
  know({ number, hash }: KnownBlock): void {
    this.#last = { number, hash }
    if (this.#lowest === null || number < this.#lowest.number) this.#lowest = this.#last
  }

  /** Forgets all known blocks: a reorg below the final block may have orphaned them. */
  forget(): void {
    this.#lowest = null
    this.#last = null
  }

  /**
   * Checks that the endpoint has a known block, above what was read if possible.
   *
   * @param to the last block that was read
   * @throws ChainInconsistent if it has a different block there; its chain id is checked again
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
   * An endpoint that has the last known block is on this chain. If it lacks the lowest one, a repaired deep reorg has
   * orphaned that block, which is dropped. The read fails anyway and is repeated.
   */
  async #forgetLowest(session: Session): Promise<void> {
    const last = this.#last
    if (last === null || last === this.#lowest) return
    const header = await fetchHeader(session, last.number)
    if (header?.hash === last.hash && last === this.#last) this.#lowest = last
  }
}
