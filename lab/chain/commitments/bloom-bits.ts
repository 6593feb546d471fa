import type { Hex } from '@dexfeed/dex'
import type { DraftLog } from '../abi.ts'
import type { Keccak } from './keccak.ts'

const BYTES = 256
const BITS = 8 * BYTES

/** Blooms of logs (Yellow Paper, 4.4.3). Each address and topic is hashed only once. */
export class BloomBits {
  readonly #keccak: Keccak
  /** The three 11-bit positions of a value, packed into one number. */
  readonly #bits = new Map<Hex, number>()

  constructor(keccak: Keccak) {
    this.#keccak = keccak
  }

  of(logs: readonly DraftLog[]): Buffer {
    const bloom = Buffer.alloc(BYTES)
    for (const { address, topics } of logs) {
      this.#set(bloom, address)
      for (const topic of topics) this.#set(bloom, topic)
    }
    return bloom
  }

  #set(bloom: Buffer, value: Hex): void {
    const packed = this.#bitsOf(value)
    for (const bit of [packed % BITS, Math.floor(packed / BITS) % BITS, Math.floor(packed / BITS / BITS)]) {
      const at = BYTES - 1 - (bit >> 3)
      bloom[at] = (bloom[at] ?? 0) | (1 << (bit & 7))
    }
  }

  #bitsOf(value: Hex): number {
    const known = this.#bits.get(value)
    if (known !== undefined) return known
    const hash = this.#keccak(Buffer.from(value.slice(2), 'hex'))
    const bit = (at: number) => (((hash[at] ?? 0) << 8) | (hash[at + 1] ?? 0)) % BITS
    const packed = bit(0) + BITS * (bit(2) + BITS * bit(4))
    this.#bits.set(value, packed)
    return packed
  }
}

export function joinBlooms(blooms: readonly Buffer[]): Buffer {
  const all = Buffer.alloc(BYTES)
  for (const bloom of blooms) for (let i = 0; i < BYTES; i++) all[i] = (all[i] ?? 0) | (bloom[i] ?? 0)
  return all
}
