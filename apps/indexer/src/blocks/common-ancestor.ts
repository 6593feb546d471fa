import { type Chain, type Clock, systemClock } from '@dexfeed/chain'
import { type BlockHeader, type Hex, MINUTE, SECOND } from '@dexfeed/dex'
import type { IndexerStore } from '@dexfeed/store'

/** For so long every endpoint must claim that a final block is orphaned. */
const DEEP_REORG_MS = 5 * MINUTE
/** The same for a command that somebody waits for, who has seen the network stop. */
const DEEP_REORG_OF_COMMAND_MS = 2 * SECOND
const CLAIM_PAUSE_MS = SECOND / 2
const MAX_CHECKS = 60

/** How a chain is asked about a final block. */
export type HashSource = Pick<Chain, 'header' | 'hashesAt'>

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

export interface ClaimOptions {
  clock?: Pick<Clock, 'now'>
  /** How long the claim must stand. */
  confirmedAfterMs?: number | undefined
}

/** Notes for how long the chain claims that a final block is orphaned: neither once nor by one endpoint it is believed. */
export class DeepReorgClaims {
  readonly #chain: HashSource
  readonly #clock: Pick<Clock, 'now'>
  readonly #confirmedAfterMs: number
  #since: number | null = null

  constructor(chain: HashSource, { clock = systemClock, confirmedAfterMs = DEEP_REORG_MS }: ClaimOptions = {}) {
    this.#chain = chain
    this.#clock = clock
    this.#confirmedAfterMs = confirmedAfterMs
  }

  /**
   * Asks the chain for the lowest stored block, and where that is another one there all endpoints, each for its chain id
   * too: one that is silent, or has the block, keeps the claim from being believed.
   *
   * @returns null where the chain has it
   * @throws an Error where the node has no block of that height
   */
  async check(stored: BlockHeader): Promise<(OrphanedBlock & { isConfirmed: boolean }) | null> {
    const header = await this.#chain.header(stored.number)
    if (header === null) throw new Error(`the node does not have block ${stored.number}, which was final`)
    if (header.hash === stored.hash) {
      this.#since = null
      return null
    }
    const { hashes, silent } = await this.#chain.hashesAt(stored.number)
    if (hashes.includes(stored.hash)) this.#since = null
    else this.#since ??= this.#clock.now()
    const isUnanimous = silent === 0 && !hashes.includes(null)
    const isConfirmed = isUnanimous && this.#since !== null && this.#clock.now() - this.#since >= this.#confirmedAfterMs
    return { stored, hash: header.hash, isConfirmed }
  }

  clear(): void {
    this.#since = null
  }
}

/** The lowest stored block where it is orphaned, so that following cannot go on; else null. Waits for all endpoints to say so. */
export async function orphanedBlock(
  chain: HashSource,
  store: Pick<IndexerStore, 'reorgableBlocks'>,
  signal: AbortSignal,
  clock: Pick<Clock, 'sleep'> = systemClock,
): Promise<OrphanedBlock | null> {
  const stored = (await store.reorgableBlocks())[0]
  const claims = new DeepReorgClaims(chain, { confirmedAfterMs: DEEP_REORG_OF_COMMAND_MS })
  for (let check = 0; check < MAX_CHECKS; check++) {
    const claim = stored === undefined ? null : await claims.check(stored)
    if (claim === null || claim.isConfirmed) return claim
    await clock.sleep(CLAIM_PAUSE_MS, signal)
    signal.throwIfAborted()
  }
  throw new Error(`not every endpoint says that block ${stored?.number}, which was final, is orphaned`)
}

/** @throws an Error where the chain does not have the block */
export async function headerAt(chain: Pick<Chain, 'header'>, number: number): Promise<BlockHeader> {
  const header = await chain.header(number)
  if (header === null) throw new Error(`block ${number} is not there, though later ones are`)
  return header
}
