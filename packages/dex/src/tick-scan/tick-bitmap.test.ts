import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Hex } from '../chain.ts'
import { bitmapWords, ticksOfWord } from './tick-scan.ts'

test('the ticks of a word are those whose bits are set, as TickBitmap.position places them', () => {
  const bits = fc.uniqueArray(fc.nat(255), { maxLength: 40 })
  fc.assert(
    fc.property(
      bits,
      fc.integer({ min: -3_466, max: 3_465 }),
      fc.constantFrom(1, 10, 60, 200),
      (set, word, spacing) => {
        const map = set.reduce((sum, bit) => sum | (1n << BigInt(bit)), 0n)
        const reply: Hex = `0x${map.toString(16).padStart(64, '0')}`
        const expected = set.sort((a, b) => a - b).map((bit) => (word * 256 + bit) * spacing)
        expect(ticksOfWord(word, reply, spacing)).toEqual(expected)
      },
    ),
  )
})

test.each([
  [1, -3_466, 3_465],
  [60, -58, 57],
  [200, -18, 17],
])('at spacing %i the words from %i to %i hold all ticks', (spacing, lowest, highest) => {
  const words = bitmapWords(spacing)
  expect([words[0], words.at(-1), words.length]).toEqual([lowest, highest, highest - lowest + 1])
})
