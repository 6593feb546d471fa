import type { BlockHeader, Hex } from '@dexfeed/dex'

/**
 * The newest stored block that the chain still holds; null when it left every one of them.
 *
 * @param stored the blocks that may still be taken back, ascending, forming one chain
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
