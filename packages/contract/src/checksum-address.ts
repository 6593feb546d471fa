import { createKeccak } from 'hash-wasm'
import { LRUCache } from 'lru-cache'

/** In WebAssembly, because a request may have 1,000 addresses to hash, and JavaScript takes eight times as long. */
const keccak = await createKeccak(256)

/** Without the cache, hashing addresses was a quarter of the cost of a page of `/v1/swaps`. */
const known = new LRUCache<string, string>({ max: 20_000 })

/** Takes an address in lower case. */
export function checksumAddress(address: string): string {
  const found = known.get(address)
  if (found !== undefined) return found
  const checksum = `0x${withChecksum(address.slice(2))}`
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
  if (isMixed && withChecksum(lower) !== digits) return null
  return `0x${lower}`
}

/** EIP-55: a letter is a capital if the same digit of the hash is 8 or more. */
function withChecksum(lower: string): string {
  const hash = keccak.init().update(lower).digest('hex')
  let digits = ''
  for (let at = 0; at < lower.length; at++) {
    const digit = lower.charAt(at)
    digits += hash.charAt(at) >= '8' ? digit.toUpperCase() : digit
  }
  return digits
}
