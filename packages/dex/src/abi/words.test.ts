import { AbiCoder } from 'ethers'
import { expect, test } from 'vitest'
import type { Hex } from '../chain.ts'
import { addressTopic, bytesTail, hasWordsAndTails, wordOf } from './words.ts'

const encode = (types: readonly string[], ...values: readonly unknown[]) =>
  AbiCoder.defaultAbiCoder().encode(types, values) as Hex
const words = (...values: readonly bigint[]): Hex => `0x${values.map(wordOf).join('')}`
const LENGTHS = [0, 1, 31, 32, 33, 70]

test('words and one text after them, whatever its length', () => {
  for (const length of LENGTHS) {
    const data = encode(['string', 'uint256'], 'x'.repeat(length), 7)
    expect(hasWordsAndTails(data, 2, [0])).toBe(true)
    expect(hasWordsAndTails(`${data}${'00'.repeat(32)}`, 2, [0])).toBe(false)
    expect(hasWordsAndTails(data, 3, [0])).toBe(false)
    expect(hasWordsAndTails(data, 2, [])).toBe(false)
  }
})

test('words and several byte strings after them', () => {
  for (const first of LENGTHS) {
    for (const second of LENGTHS) {
      const [one, other] = [`0x${'ab'.repeat(first)}`, `0x${'cd'.repeat(second)}`]
      const data = encode(['uint256', 'bytes', 'address', 'bytes'], 7, one, `0x${'ef'.repeat(20)}`, other)
      expect(hasWordsAndTails(data, 4, [1, 3])).toBe(true)
      expect([bytesTail(data, 1), bytesTail(data, 3)]).toEqual([one, other])
      expect(hasWordsAndTails(data, 4, [1])).toBe(false)
      expect(hasWordsAndTails(data, 4, [3, 1])).toBe(false)
      expect(hasWordsAndTails(data.slice(0, -64) as Hex, 4, [1, 3])).toBe(false)
    }
  }
})

test('a tail at another place, or longer than the data, is refused', () => {
  expect(hasWordsAndTails(words(64n, 7n, 1n, 5n), 2, [0])).toBe(true)
  expect(hasWordsAndTails(words(96n, 7n, 1n, 5n), 2, [0])).toBe(false)
  expect(hasWordsAndTails(words(64n, 7n, 33n, 5n), 2, [0])).toBe(false)
  expect(hasWordsAndTails(words(64n, 7n, 2n ** 256n - 1n, 5n), 2, [0])).toBe(false)
  expect(hasWordsAndTails(words(64n, 2n ** 255n, 2n ** 256n - 1n, 5n), 2, [0, 1])).toBe(false)
  expect(hasWordsAndTails(words(64n, 7n), 2, [0])).toBe(false)
  expect(hasWordsAndTails('0x', 2, [0])).toBe(false)
})

test('an address out of a topic is its last twenty bytes, whatever came before', () => {
  const address = (n: number) => `0x${n.toString(16).padStart(40, 'a')}` as const
  const topics = Array.from({ length: 60_000 }, (_, n): Hex => `0x${'0'.repeat(24)}${address(n).slice(2)}`)
  for (let round = 0; round < 2; round++) {
    expect(topics.every((_, n) => addressTopic(topics, n) === address(n))).toBe(true)
  }
  // For a log without that topic, the caller has already checked the number of topics, or ignores the result.
  expect(addressTopic([], 1)).toBe('0x')
})
