import type { Hex } from '@dexfeed/dex'
import { GenesisMismatch, type NetworkRow } from '@dexfeed/store'

/**
 * Makes sure that rows are of the chain that a node has. Where either hash of block 0 is not known, the headers of known
 * blocks tell, which are compared with every range.
 *
 * @throws GenesisMismatch
 */
export function checkGenesis({ network, genesisHash: stored }: NetworkRow, actual: Hex | null): void {
  if (stored !== null && actual !== null && stored !== actual) throw new GenesisMismatch(network, stored, actual)
}
