import { type Chain, type Clock, systemClock } from '@dexfeed/chain'
import { type BlockHeader, DEEP_REORG_CLAIMS, type Hex, SECOND } from '@dexfeed/dex'
import type { IndexerStore } from '@dexfeed/store'

const CLAIM_PAUSE_MS = SECOND / 2

/**
 * The newest stored block that the chain still holds; null when all of them are orphaned.
 *
 * @param stored the blocks that may still be rolled back, ascending, forming one chain
 * @param hashAt the chain's own hash at a height, null where it has no block
 */
export async function commonAncestor(
  stored: readonly BlockHeader[],
  hashAt: (number: number) => Promise<Hex | null>,
): Promise<BlockHeader | null> {
  for (const block of stored.toReversed()) {
    if ((await hashAt(block.number)) === block.hash) return block
  }
  return null
}

/** A block that was indexed as final, and the hash of the chain's own in its place. */
export interface OrphanedBlock {
  stored: BlockHeader
  hash: Hex
}

/** Counts how often in a row the chain claims that a final block is orphaned: once is not believed. */
export class DeepReorgClaims {
  readonly #chain: Pick<Chain, 'header'>
  #count = 0

  constructor(chain: Pick<Chain, 'header'>) {
    this.#chain = chain
  }

  /**
   * Asks the chain for the lowest stored block.
   *
   * @returns null where the chain has it
   * @throws an Error where the node has no block of that height
   */
  async check(stored: BlockHeader): Promise<(OrphanedBlock & { isBelieved: boolean }) | null> {
    const header = await this.#chain.header(stored.number)
    if (header === null) throw new Error(`the node does not have block ${stored.number}, which was final`)
    this.#count = header.hash === stored.hash ? 0 : this.#count + 1
    return this.#count === 0 ? null : { stored, hash: header.hash, isBelieved: this.#count >= DEEP_REORG_CLAIMS }
  }

  clear(): void {
    this.#count = 0
  }
}

/** The lowest stored block where it is orphaned, so that following cannot go on; else null. */
export async function orphanedBlock(
  chain: Pick<Chain, 'header'>,
  store: Pick<IndexerStore, 'reorgableBlocks'>,
  signal: AbortSignal,
  clock: Pick<Clock, 'sleep'> = systemClock,
): Promise<OrphanedBlock | null> {
  const stored = (await store.reorgableBlocks())[0]
  const claims = new DeepReorgClaims(chain)
  for (;;) {
    const claim = stored === undefined ? null : await claims.check(stored)
    if (claim === null || claim.isBelieved) return claim
    await clock.sleep(CLAIM_PAUSE_MS, signal)
    signal.throwIfAborted()
  }
}
