import type { Hex } from '@dexfeed/dex'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { KeptTexts, lastDigitsBefore } from './text-reader.ts'

const four = fc.stringMatching(/^[0-9a-f]{4}$/)

it('any four digits before a place form the number that they are', () => {
  fc.assert(
    fc.property(four, fc.string(), fc.string(), (digits, before, behind) => {
      expect(lastDigitsBefore(before + digits + behind, before.length + 4)).toBe(Number.parseInt(digits, 16))
    }),
  )
})

it('characters that are not digits form a number within the bounds', () => {
  fc.assert(
    fc.property(fc.string(), fc.nat(10), (text, end) => {
      const number = lastDigitsBefore(text, end)
      expect(number >= 0 && number < 0x10000).toBe(true)
    }),
  )
})

it('a text is read when it comes first, whatever ends like it', () => {
  const read: string[] = []
  const texts = new KeptTexts<Hex>(8, (text) => {
    read.push(text)
    return text as Hex
  })
  const response = '"0x12abcd","0x12abcd","0x34abcd","0x34abcd","0x12abcd","0x120000"'
  const found = [1, 12, 23, 34, 45, 56].map((from) => texts.at(response, from))
  expect(found).toEqual(['0x12abcd', '0x12abcd', '0x34abcd', '0x34abcd', '0x12abcd', '0x120000'])
  expect(read).toEqual(['0x12abcd', '0x34abcd', '0x12abcd', '0x120000'])
})

it('a text that cannot be read is not kept', () => {
  const texts = new KeptTexts<Hex>(8, () => {
    throw new Error('unreadable')
  })
  for (let i = 0; i < 2; i++) expect(() => texts.at('0x12abcd', 0)).toThrow('unreadable')
})
