import type { BlockHeader } from '@dexfeed/dex'
import type { Session } from '../../../endpoints/endpoint-pool.ts'
import { fetchHeader, fetchPresentHeader } from '../../read-header.ts'

type KnownBlock = Pick<BlockHeader, 'number' | 'hash'>

/**
 * Detects that a connection which stayed open now reaches another chain: each endpoint must have the known final
 * blocks.
 */
export class ChainAnchor {
  /** An endpoint with this block has the same history below it, and can return the block from a cache. */
  #lowest: KnownBlock | null = null
  #last: KnownBlock | null = null

  know({ number, hash }: KnownBlock): void {
    this.#last = { number, hash }
    if (this.#lowest === null || number < this.#lowest.number) this.#lowest = this.#last
  }

  forget(): void {
    this.#lowest = null
    this.#last = null
  }

  /**
   * Checks that the endpoint has a known block, at or above block `to` if possible. If that block differs, the
   * endpoint's chain id is checked again.
   *
   * @throws ChainInconsistent if the block differs
   */
  async check(session: Session, to: number): Promise<void> {
    const anchor = this.#lowest !== null && this.#lowest.number >= to ? this.#lowest : this.#last
    if (anchor === null) return
    const header = await fetchPresentHeader(session, anchor.number)
    if (header.hash === anchor.hash) return
    session.endpoint.chain = 'unchecked'
    if (anchor === this.#lowest) await this.#forgetLowest(session)
    throw session.inconsistent(`block ${anchor.number} is ${header.hash}, on this chain it is ${anchor.hash}`)
  }

  /**
   * Drops the lowest known block if the endpoint still has the last one: then a deep reorg, repaired since, has
   * orphaned it.
   */
  async #forgetLowest(session: Session): Promise<void> {
    const last = this.#last
    if (last === null || last === this.#lowest) return
    const header = await fetchHeader(session, last.number)
    if (header?.hash === last.hash && last === this.#last) this.#lowest = last
  }
}
