import type { Chain } from '@dexfeed/chain'
import type { BlockHeader, Hex, NetworkName } from '@dexfeed/dex'

/** The least seconds between two blocks that a network has had; none of its days had more blocks than that allows. */
const LEAST_BLOCK_TIME_S: Record<NetworkName, number> = { eth: 10, bsc: 0.45, polygon: 1.5 }
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
      const timestamp = known.timestamp - Math.floor((known.number - number) * LEAST_BLOCK_TIME_S[network])
      return { number, hash: NO_HASH, parentHash: NO_HASH, timestamp }
    },
  }
}
