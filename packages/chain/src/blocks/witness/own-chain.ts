import type { BlockHeader } from '@dexfeed/dex'
import type { Session } from '../../endpoints/session.ts'
import { askPresentHeader } from '../read-header.ts'

/** Keeps answers of another chain out, behind a connection that stayed open: by a block that is known to be of this one. */
export class OwnChain {
  #known: Pick<BlockHeader, 'number' | 'hash'> | null = null

  /** @param block a final one */
  know({ number, hash }: Pick<BlockHeader, 'number' | 'hash'>): void {
    this.#known = { number, hash }
  }

  /**
   * To be asked where something was read: the endpoint must have the known block.
   *
   * @throws ChainInconsistent where it has another one in its place; its chain is checked before it is asked again
   */
  async check(session: Session): Promise<void> {
    const known = this.#known
    if (known === null) return
    const header = await askPresentHeader(session, known.number)
    if (header.hash === known.hash) return
    session.endpoint.chain = 'unchecked'
    throw session.inconsistent(`block ${known.number} is ${header.hash}, on this chain it is ${known.hash}`)
  }
}
