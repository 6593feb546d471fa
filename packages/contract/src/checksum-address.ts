import { getAddress } from 'ethers/address'
import { LRUCache } from 'lru-cache'

/** Without the cache, hashing addresses was a quarter of the cost of a page of `/v1/swaps`. */
const known = new LRUCache<string, string>({ max: 20_000 })

export function checksumAddress(address: string): string {
  const found = known.get(address)
  if (found !== undefined) return found
  const checksum = getAddress(address)
  known.set(address, checksum)
  return checksum
}

/** Returns the address in lower case, or null if it is malformed. Mixed case must match the EIP-55 checksum. */
export function readAddress(text: string): `0x${string}` | null {
  if (!/^0[xX][0-9a-fA-F]{40}$/.test(text)) return null
  const digits = text.slice(2)
  const lower = digits.toLowerCase()
  const isMixed = digits !== lower && digits !== digits.toUpperCase()
  // Not cached, because callers could fill the cache with addresses that do not exist.
  if (isMixed && getAddress(`0x${lower}`).slice(2) !== digits) return null
  return `0x${lower}`
}
