import type { Random } from '@dexfeed/devnet'
import type { Hex } from '@dexfeed/dex'

export const EMPTY_BLOOM: Hex = `0x${'0'.repeat(512)}`

/** How many bits of a bloom are set besides those of the block's own logs: none, as many as on Ethereum, or all. */
export type Crowd = 'none' | 'usual' | 'full'

/** Of 42 recorded blocks of Ethereum the median bloom is 46 % full. */
const USUAL_SHARE = 0.45
const BYTES = 256

/** Returns a block's bloom with the bits that other logs add to it. */
export function crowdedBloom(own: Buffer, crowd: Crowd, random: Random): Buffer {
  if (crowd === 'none') return own
  if (crowd === 'full') return Buffer.alloc(BYTES, 0xff)
  return own.map((byte) => byte | usualByte(random)) as Buffer
}

function usualByte(random: Random): number {
  return Array.from({ length: 8 }).reduce<number>((byte) => 2 * byte + (random.next() < USUAL_SHARE ? 1 : 0), 0)
}
