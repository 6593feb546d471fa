import { getAddress } from 'ethers/address'
import { LRUCache } from 'lru-cache'

/** Hashing each one anew was a quarter of what a page of `/v1/swaps` cost; most of what is told is of few addresses. */
const known = new LRUCache<string, string>({ max: 20_000 })

/** The EIP-55 form of a lower-case `0x` address. */
export function checksumAddress(address: string): string {
  const found = known.get(address)
  if (found !== undefined) return found
  const checksum = getAddress(address)
  known.set(address, checksum)
  return checksum
}

/**
 * Reads an address as a person writes it: any case is fine, but where upper and lower case letters are mixed they must
 * be the EIP-55 checksum. Gives the lower-case address, or null when it is malformed or the checksum is wrong.
 */
export function readAddress(text: string): `0x${string}` | null {
  if (!/^0[xX][0-9a-fA-F]{40}$/.test(text)) return null
  const digits = text.slice(2)
  const lower = digits.toLowerCase()
  const isMixed = digits !== lower && digits !== digits.toUpperCase()
  // Not by what is kept: callers could fill it with addresses of nobody.
  if (isMixed && getAddress(`0x${lower}`).slice(2) !== digits) return null
  return `0x${lower}`
}
