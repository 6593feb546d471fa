import type { BlockHeader } from '@dexfeed/dex'
import type { Session } from '../../../endpoints/endpoint-pool.ts'
import { fetchHeader, fetchPresentHeader } from '../../read-header.ts'

type KnownBlock = Pick<BlockHeader, 'number' | 'hash'>

/** Detects another chain behind a connection that stayed open: an endpoint must have known final blocks. */
export class ChainAnchor {
  /** An endpoint that has it has all history below, and can return it from a cache. */
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
   * Expects a known block, above block `to` if possible. @throws ChainInconsistent if it is different; the endpoint's
   * chain id is checked again
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

  /** If an endpoint with the last known block lacks the lowest one, a repaired deep reorg has orphaned it. */
  async #forgetLowest(session: Session): Promise<void> {
    const last = this.#last
    if (last === null || last === this.#lowest) return
    const header = await fetchHeader(session, last.number)
    if (header?.hash === last.hash && last === this.#last) this.#lowest = last
  }
}
