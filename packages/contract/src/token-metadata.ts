import { checksumAddress } from './checksum-address.ts'
import type { TokenMetadata } from './responses.ts'

interface TokenFacts {
  name: string
  symbol: string
  decimals: number
}

/** What a response says of a token; of the native coin where there is no address. */
export function tokenMetadataOf({ name, symbol, decimals }: TokenFacts, address: `0x${string}` | null): TokenMetadata {
  return { name, symbol, decimals: String(decimals), address: address === null ? '' : checksumAddress(address) }
}
