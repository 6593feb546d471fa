import fc from 'fast-check'
import { expect, test } from 'vitest'
import { countBlocks, missingRanges, sharedRanges, withoutRanges } from './chain.ts'

test('the missing parts are exactly the numbers that no covered range holds', () => {
  const bits = fc.array(fc.boolean(), { minLength: 1, maxLength: 40 })
  fc.assert(
    fc.property(bits, fc.nat(10), fc.nat(10), (covered, cutLow, cutHigh) => {
      const range = { from: cutLow, to: covered.length - 1 - cutHigh }
      const ranges = runsOf(covered, true)
      const expected = runsOf(covered, false)
        .map(({ from, to }) => ({ from: Math.max(from, range.from), to: Math.min(to, range.to) }))
        .filter(({ from, to }) => from <= to)
      expect(missingRanges(range, ranges)).toEqual(expected)
    }),
  )
})

test('ranges that overlap and come in any order are subtracted once', () => {
  const others = [
    { from: 6, to: 8 },
    { from: 2, to: 3 },
    { from: 3, to: 6 },
    { from: 50, to: 60 },
  ]
  expect(withoutRanges([{ from: 0, to: 10 }], others)).toEqual([
    { from: 0, to: 1 },
    { from: 9, to: 10 },
  ])
})

test('shared parts and their blocks', () => {
  const ranges = [
    { from: 0, to: 4 },
    { from: 10, to: 13 },
  ]
  expect(sharedRanges(ranges, { from: 4, to: 11 })).toEqual([
    { from: 4, to: 4 },
    { from: 10, to: 11 },
  ])
  expect(sharedRanges(ranges, { from: 5, to: 9 })).toEqual([])
  expect(countBlocks(ranges)).toBe(9)
})

function runsOf(bits: readonly boolean[], value: boolean) {
  const runs: { from: number; to: number }[] = []
  bits.forEach((bit, index) => {
    const last = runs.at(-1)
    if (bit !== value) return
    if (last?.to === index - 1) last.to = index
    else runs.push({ from: index, to: index })
  })
  return runs
}
