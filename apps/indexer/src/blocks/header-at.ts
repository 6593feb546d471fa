import type { Chain } from '@dexfeed/chain'
import type { BlockHeader } from '@dexfeed/dex'

/** @throws an Error where the chain does not have the block */
export async function headerAt(chain: Pick<Chain, 'header'>, number: number): Promise<BlockHeader> {
  const header = await chain.header(number)
  if (header === null) throw new Error(`block ${number} is not there, though later ones are`)
  return header
}
