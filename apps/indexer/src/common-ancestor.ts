import type { BlockHeader, Hex } from '@dexfeed/dex'

/** The chain left every block that is kept for taking back: nothing here can mend that. */
export class ReorgTooDeep extends Error {
  override readonly name = 'ReorgTooDeep'

  constructor(lowest: number) {
    super(`the chain no longer holds block ${lowest}, which counted as final: its rows are kept, indexing stops here`)
  }
}

/**
 * The newest stored block that the chain still holds.
 *
 * @param stored the blocks that may still be taken back, ascending, forming one chain
 * @param hashAt the chain's own hash at a height, null where it has no block
 */
export async function commonAncestor(
  stored: readonly BlockHeader[],
  hashAt: (number: number) => Promise<Hex | null>,
): Promise<BlockHeader> {
  for (const block of stored.toReversed()) {
    if ((await hashAt(block.number)) === block.hash) return block
  }
  throw new ReorgTooDeep(stored[0]?.number ?? 0)
}
