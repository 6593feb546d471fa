import type { Address, Hex } from '../chain/hex.ts'

/** ABI data is 32-byte words; these slice one out by its position: ethers is far too slow for every log of a chain. */

export const WORD = 64

/** True when the data holds exactly this many words. */
export function hasWords(data: Hex, count: number): boolean {
  return data.length === 2 + count * WORD
}

/** True when the data holds this many words, then one text, which the first of them points to, and nothing else. */
export function hasWordsAndText(data: Hex, count: number): boolean {
  if (data.length < 2 + (count + 1) * WORD || uintWord(data, 0) !== BigInt(count * 32)) return false
  return hasWords(data, count + 1 + Math.ceil(Number(uintWord(data, count)) / 32))
}

/** A word as it stands there. */
export function wordText(data: Hex, index: number): Hex {
  return `0x${data.slice(2 + index * WORD, 2 + (index + 1) * WORD)}`
}

export function uintWord(data: Hex, index: number): bigint {
  const start = 2 + index * WORD
  return BigInt(`0x${data.slice(start, start + WORD)}`)
}

export function intWord(data: Hex, index: number): bigint {
  return BigInt.asIntN(256, uintWord(data, index))
}

/** A signed word that the ABI bounds to at most 32 bits (int24, int16 ...). */
export function smallIntWord(data: Hex, index: number): number {
  const end = 2 + (index + 1) * WORD
  return Number.parseInt(data.slice(end - 8, end), 16) | 0
}

/** An indexed signed argument of at most 32 bits. */
export function smallIntTopic(topics: readonly Hex[], index: number): number {
  return Number.parseInt((topics[index] ?? '').slice(-8), 16) | 0
}

export function addressWord(data: Hex, index: number): Address {
  const start = 2 + index * WORD
  return `0x${data.slice(start + 24, start + WORD)}`
}

export function addressTopic(topics: readonly Hex[], index: number): Address {
  return `0x${(topics[index] ?? '').slice(26)}`
}

/** One word of call data. */
export function wordOf(value: Address | bigint | number): string {
  if (typeof value === 'string') return value.slice(2).padStart(WORD, '0')
  return BigInt.asUintN(256, BigInt(value)).toString(16).padStart(WORD, '0')
}

/** Call data from a 4-byte selector and its arguments. */
export function callData(selector: Hex, ...args: readonly (Address | bigint | number)[]): Hex {
  return `${selector}${args.map(wordOf).join('')}`
}
