import { AbiCoder } from 'ethers'
import { expect, test } from 'vitest'
import type { Hex } from '../chain/hex.ts'
import { hasWordsAndText, wordOf } from './words.ts'

const encode = (text: string) => AbiCoder.defaultAbiCoder().encode(['string', 'uint256'], [text, 7]) as Hex
const words = (...values: readonly bigint[]): Hex => `0x${values.map(wordOf).join('')}`

test('words and one text behind them, whatever its length', () => {
  for (const length of [0, 1, 31, 32, 33, 70]) {
    const data = encode('x'.repeat(length))
    expect(hasWordsAndText(data, 2)).toBe(true)
    expect(hasWordsAndText(`${data}${'00'.repeat(32)}`, 2)).toBe(false)
    expect(hasWordsAndText(data, 3)).toBe(false)
  }
})

test('a text that lies elsewhere, or is longer than the data, is none', () => {
  expect(hasWordsAndText(words(64n, 7n, 1n, 5n), 2)).toBe(true)
  expect(hasWordsAndText(words(96n, 7n, 1n, 5n), 2)).toBe(false)
  expect(hasWordsAndText(words(64n, 7n, 33n, 5n), 2)).toBe(false)
  expect(hasWordsAndText(words(64n, 7n, 2n ** 256n - 1n, 5n), 2)).toBe(false)
  expect(hasWordsAndText(words(64n, 7n), 2)).toBe(false)
  expect(hasWordsAndText('0x', 2)).toBe(false)
})
