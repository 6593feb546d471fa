import { checksumAddress } from '@dexfeed/contract'
import { type Address, isoTime, type NetworkName, type PoolCreation, type Token, ZERO_ADDRESS } from '@dexfeed/dex'
import { tokenFields } from '../swaps.ts'
import { coinOf } from './networks.ts'

/** Returns a pool's token; the zero address is the coin. */
export function poolTokenFields(network: NetworkName, address: Address, token: Token | undefined) {
  return address === ZERO_ADDRESS ? coinOf(network) : tokenFields(address, token)
}

export function creationFields({ timestamp, blockNumber, txHash, creator }: PoolCreation) {
  return {
    created_at: isoTime(timestamp),
    created_block: String(blockNumber),
    created_tx: txHash,
    creator: creator && checksumAddress(creator),
  }
}
