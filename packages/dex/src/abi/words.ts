import { type Address, copyOf, type Hex } from '../chain.ts'

/** Slices 32-byte words out of data by position, because ethers is too slow for every log of a chain. */

export const WORD = 64

/** No contract can hold more of a token. */
export const MAX_UINT256 = 2n ** 256n - 1n

export function hasWords(data: Hex, count: number): boolean {
  return data.length === 2 + count * WORD
}

/**
 * Returns whether the data consists of `count` words, followed by the texts or bytes to which the words `pointers`
 * point, in that order.
 */
export function hasWordsAndTails(data: Hex, count: number, pointers: readonly number[]): boolean {
  return hasTails(data, count, pointers, 32)
}

/** Like `hasWordsAndTails`, for lists of words instead of texts. */
export function hasWordsAndLists(data: Hex, count: number, pointers: readonly number[]): boolean {
  return hasTails(data, count, pointers, 1)
}

/** @param unit number of length units in a word: 32 for bytes, 1 for words */
function hasTails(data: Hex, count: number, pointers: readonly number[], unit: number): boolean {
  let end = count
  for (const pointer of pointers) {
    if (data.length < 2 + (end + 1) * WORD || uintWord(data, pointer) !== BigInt(end * 32)) return false
    end += 1 + Math.ceil(Number(uintWord(data, end)) / unit)
  }
  return hasWords(data, end)
}

export function bytesTail(data: Hex, pointer: number): Hex {
  const start = 2 + 2 * Number(uintWord(data, pointer))
  const length = Number(BigInt(`0x${data.slice(start, start + WORD)}`))
  return `0x${data.slice(start + WORD, start + WORD + 2 * length)}`
}

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

/** Reads a signed word of at most 32 bits (int24, int16 ...). */
export function smallIntWord(data: Hex, index: number): number {
  const end = 2 + (index + 1) * WORD
  return Number.parseInt(data.slice(end - 8, end), 16) | 0
}

export function smallIntTopic(topics: readonly Hex[], index: number): number {
  return Number.parseInt((topics[index] ?? '').slice(-8), 16) | 0
}

export function addressWord(data: Hex, index: number): Address {
  const start = 2 + index * WORD
  return `0x${data.slice(start + 24, start + WORD)}`
}

const knownAddresses = new Map<string, Address>()
/**
 * Limit on cached addresses. Without the cache, each transfer would create strings that are compared and hashed
 * character by character.
 */
const MAX_KNOWN_ADDRESSES = 50_000

export function addressTopic(topics: readonly Hex[], index: number): Address {
  const topic = topics[index] ?? ''
  const cached = knownAddresses.get(topic)
  if (cached !== undefined) return cached
  const address = copyOf<Address>(`0x${topic.slice(26)}`)
  if (knownAddresses.size >= MAX_KNOWN_ADDRESSES) knownAddresses.clear()
  knownAddresses.set(copyOf(topic), address)
  return address
}

export function wordOf(value: Address | bigint | number): string {
  if (typeof value === 'string') return value.slice(2).padStart(WORD, '0')
  return BigInt.asUintN(256, BigInt(value)).toString(16).padStart(WORD, '0')
}

export function callData(selector: Hex, ...args: readonly (Address | bigint | number)[]): Hex {
  return `${selector}${args.map(wordOf).join('')}`
}
