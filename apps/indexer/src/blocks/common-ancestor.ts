import { type HashesAt, type ReadHeader, systemClock } from '@dexfeed/chain'
import { type BlockHeader, type Hex, MINUTE, SECOND } from '@dexfeed/dex'
import type { SleepClock, TimeClock } from '../loops/loop.ts'

/** How long all endpoints must claim that a final block is orphaned before they are believed. */
const DEEP_REORG_MS = 5 * MINUTE
/** Shorter for commands, because their user is waiting. */
const COMMAND_DEEP_REORG_MS = 2 * SECOND
const CLAIM_PAUSE_MS = SECOND / 2
const MAX_CHECKS = 60

export interface HeaderSource {
  header: ReadHeader
}

export interface HashSource extends HeaderSource {
  hashesAt(number: number): Promise<HashesAt>
}

/** Returns the newest stored block that the chain still has, or null. `stored` is one branch, ascending. */
export async function commonAncestor(
  stored: readonly BlockHeader[],
  hashAt: (number: number) => Promise<Hex | null>,
): Promise<BlockHeader | null> {
  for (const block of stored.toReversed()) {
    if ((await hashAt(block.number)) === block.hash) return block
  }
  return null
}

export interface OrphanedBlock {
  stored: BlockHeader
  hash: Hex
}

export interface ClaimOptions {
  clock?: TimeClock
  confirmedAfterMs?: number | undefined
}

export class DeepReorgClaims {
  readonly #chain: HashSource
  readonly #clock: TimeClock
  readonly #confirmedAfterMs: number
  #since: number | null = null

  constructor(chain: HashSource, { clock = systemClock, confirmedAfterMs = DEEP_REORG_MS }: ClaimOptions = {}) {
    this.#chain = chain
    this.#clock = clock
    this.#confirmedAfterMs = confirmedAfterMs
  }

  /**
   * Returns null if the chain still has the lowest stored block. A claim is unconfirmed while any endpoint is silent,
   * has that block, or has none at its height.
   * @throws Error if the node has no block at that height
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
}

/**
 * Returns the lowest stored block if all endpoints agree that it is orphaned, or null if the chain has it.
 * @throws Error if the endpoints keep disagreeing
 */
export async function orphanedBlock(
  chain: HashSource,
  store: { reorgableBlocks(): Promise<BlockHeader[]> },
  signal: AbortSignal,
  clock: SleepClock = systemClock,
): Promise<OrphanedBlock | null> {
  const stored = (await store.reorgableBlocks())[0]
  const claims = new DeepReorgClaims(chain, { confirmedAfterMs: COMMAND_DEEP_REORG_MS })
  for (let check = 0; check < MAX_CHECKS; check++) {
    const claim = stored === undefined ? null : await claims.check(stored)
    if (claim === null || claim.isConfirmed) return claim
    await clock.sleep(CLAIM_PAUSE_MS, signal)
    signal.throwIfAborted()
  }
  throw new Error(`the endpoints do not agree that block ${stored?.number}, which was final, is orphaned`)
}

/** @throws an Error if the chain does not have the block */
export async function headerAt(chain: HeaderSource, number: number): Promise<BlockHeader> {
  const header = await chain.header(number)
  if (header === null) throw new Error(`the node does not have block ${number}, though it has later ones`)
  return header
}
