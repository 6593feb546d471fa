import type { Chain } from '@dexfeed/chain'
import { type BlockHeader, type Hex, NETWORKS, type NetworkName } from '@dexfeed/dex'

const NO_HASH: Hex = '0x'

/**
 * A chain of which the node may hold only parts, seen from one of its blocks: another block that is not there gets the
 * latest time that it can have had, so that a look back by time ends, and not before it should.
 */
export function sparseChain(
  chain: Chain,
  network: NetworkName,
  from: () => Pick<BlockHeader, 'number' | 'timestamp'>,
): Pick<Chain, 'logsOf' | 'header'> {
  return {
    logsOf: (filter) => chain.logsOf({ ...filter, sparse: true }),
    async header(number) {
      const header = await chain.header(number)
      if (header !== null) return header
      const known = from()
      if (number >= known.number) return null
      const timestamp = known.timestamp - Math.floor((known.number - number) * NETWORKS[network].leastBlockTimeS)
      return { number, hash: NO_HASH, parentHash: NO_HASH, timestamp }
    },
  }
}
