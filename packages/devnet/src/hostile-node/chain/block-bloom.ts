import type { Hex } from '@dexfeed/dex'
import { keccak256 } from 'ethers'
import type { Random } from '../../random.ts'

export const EMPTY_BLOOM: Hex = `0x${'0'.repeat(512)}`

const known = new Map<Hex, bigint>()

/** How many bits of a bloom are set beside those of a block's own logs: none, as many as on Ethereum, or all. */
export type Crowd = 'none' | 'usual' | 'full'

/** Of 42 recorded blocks of Ethereum the median bloom is 46 % full. */
const USUAL_SHARE = 0.45
const BITS = 2048

/** The 2048-bit filter of the Yellow Paper (section 4.3.1) over addresses and topics, and what others' logs add to it. */
export function blockBloom(values: Iterable<Hex>, crowd: Crowd, random: Random): Hex {
  let bloom = crowdOf(crowd, random)
  for (const value of values) bloom |= bitsOf(value)
  return `0x${bloom.toString(16).padStart(512, '0')}`
}

function crowdOf(crowd: Crowd, random: Random): bigint {
  if (crowd === 'none') return 0n
  if (crowd === 'full') return (1n << BigInt(BITS)) - 1n
  const bits = Array.from({ length: BITS }, () => (random.next() < USUAL_SHARE ? '1' : '0'))
  return BigInt(`0b${bits.join('')}`)
}

function bitsOf(value: Hex): bigint {
  const found = known.get(value)
  if (found !== undefined) return found
  const hash = BigInt(keccak256(value))
  const bits = [240n, 224n, 208n].reduce((sum, shift) => sum | (1n << ((hash >> shift) & 2047n)), 0n)
  known.set(value, bits)
  return bits
}
