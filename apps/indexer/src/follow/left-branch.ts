import { type Chain, type Clock, systemClock } from '@dexfeed/chain'
import { type BlockHeader, DEEP_REORG_CLAIMS, type Hex } from '@dexfeed/dex'
import type { IndexerStore } from '@dexfeed/store'

const PAUSE_MS = 500

/** A block that was indexed as final, and what the chain has in its place. */
export interface LeftBlock {
  stored: BlockHeader
  hash: Hex
}

/**
 * The lowest stored block where the chain no longer has it, so that following cannot go on; null while it has, or when
 * nothing is stored.
 */
export async function leftBranch(
  chain: Pick<Chain, 'header'>,
  store: Pick<IndexerStore, 'reorgableBlocks'>,
  signal: AbortSignal,
  clock: Pick<Clock, 'sleep'> = systemClock,
): Promise<LeftBlock | null> {
  const stored = (await store.reorgableBlocks())[0]
  if (stored === undefined) return null
  for (let claim = 1; ; claim++) {
    const header = await chain.header(stored.number)
    if (header === null) throw new Error(`the node does not have block ${stored.number}, which was final`)
    if (header.hash === stored.hash) return null
    if (claim === DEEP_REORG_CLAIMS) return { stored, hash: header.hash }
    // An endpoint may be on a fork for a moment.
    await clock.sleep(PAUSE_MS, signal)
    signal.throwIfAborted()
  }
}
