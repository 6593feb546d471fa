import type { Chain } from '@dexfeed/chain'
import type { BlockHeader, Deployment } from '@dexfeed/dex'

/** The last final block: what the node calls final and what lies deep enough below the head, whichever is lower. */
export async function finalNumber(
  chain: Pick<Chain, 'finalized'>,
  head: Pick<BlockHeader, 'number'>,
  { finalityDepth }: Pick<Deployment, 'finalityDepth'>,
): Promise<number> {
  const tagged = (await chain.finalized()) ?? head.number
  return Math.max(0, Math.min(tagged, head.number - finalityDepth))
}
