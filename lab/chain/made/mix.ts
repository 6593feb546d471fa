import type { Hex } from '@dexfeed/dex'

/** Hashes numbers, with MurmurHash3's finalizer after each of them. */
export function mix(...numbers: readonly number[]): number {
  let state = 0x9e3779b9
  for (const number of numbers) {
    state = Math.imul(state ^ (number >>> 0), 0x85ebca6b)
    state = Math.imul(state ^ (state >>> 13), 0xc2b2ae35)
    state ^= state >>> 16
  }
  return state >>> 0
}

export function mixedBytes(words: number, ...numbers: readonly number[]): Buffer {
  const bytes = Buffer.allocUnsafe(4 * words)
  let state = mix(...numbers)
  for (let i = 0; i < words; i++) {
    state = mix(state, i)
    bytes.writeUInt32BE(state, 4 * i)
  }
  return bytes
}

export function mixedHex(words: number, ...numbers: readonly number[]): Hex {
  return `0x${mixedBytes(words, ...numbers).toString('hex')}`
}
