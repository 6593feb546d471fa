import type { Hex } from '@dexfeed/dex'
import { keccak256 } from 'ethers'

export const EMPTY_BLOOM: Hex = `0x${'0'.repeat(512)}`

const known = new Map<Hex, bigint>()

/** The 2048-bit filter of the Yellow Paper (section 4.3.1) over addresses and topics. */
export function blockBloom(values: Iterable<Hex>): Hex {
  let bloom = 0n
  for (const value of values) bloom |= bitsOf(value)
  return `0x${bloom.toString(16).padStart(512, '0')}`
}

function bitsOf(value: Hex): bigint {
  const found = known.get(value)
  if (found !== undefined) return found
  const hash = BigInt(keccak256(value))
  const bits = [240n, 224n, 208n].reduce((sum, shift) => sum | (1n << ((hash >> shift) & 2047n)), 0n)
  known.set(value, bits)
  return bits
}
