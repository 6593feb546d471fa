import type { Chain } from '@dexfeed/chain'
import type { Address } from '@dexfeed/dex'

/**
 * The block that deployed a contract, as far as the node's states tell it; 0 where it keeps none so old. What is found
 * may be too high and never proves that nothing lies below: some nodes say of a state that they no longer keep that it
 * holds no code. That a contract has code is believed: at worst, of a node that always shows its latest state, the
 * answer is too low.
 *
 * @param head a block at which the contract is there
 */
export async function findDeploymentBlock(
  chain: Pick<Chain, 'hasCode'>,
  contract: Address,
  head: number,
): Promise<number> {
  if ((await chain.hasCode(contract, 0)) !== false) return 0
  let [without, present] = [0, head]
  while (present - without > 1) {
    const middle = without + Math.floor((present - without) / 2)
    const isThere = await chain.hasCode(contract, middle)
    if (isThere === null) return 0
    if (isThere) present = middle
    else without = middle
  }
  return present
}
