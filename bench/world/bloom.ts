import type { Hex } from '@dexfeed/dex'
import { keccak256 } from 'ethers'

const BYTES = 256

/** Collects a block's logsBloom (Yellow Paper, section 4.3.1); the hash of each value is taken once. */
export class BloomMaker {
  readonly #bits = new Map<Hex, readonly [number, number, number]>()

  /** The bloom of these addresses and topics. */
  of(values: Iterable<Hex>): Hex {
    const bloom = Buffer.alloc(BYTES)
    for (const value of values) {
      for (const bit of this.#bitsOf(value)) {
        const at = BYTES - 1 - (bit >> 3)
        bloom[at] = (bloom[at] ?? 0) | (1 << (bit & 7))
      }
    }
    return `0x${bloom.toString('hex')}`
  }

  #bitsOf(value: Hex): readonly [number, number, number] {
    const known = this.#bits.get(value)
    if (known !== undefined) return known
    const hash = keccak256(value)
    const bit = (at: number) => Number.parseInt(hash.slice(at, at + 4), 16) & (8 * BYTES - 1)
    const bits = [bit(2), bit(6), bit(10)] as const
    this.#bits.set(value, bits)
    return bits
  }
}
