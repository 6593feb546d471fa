import { expect, test } from 'vitest'
import { cutRanges } from './cut-ranges.ts'

test('parts come newest first and the rest of a range is a smaller one', () => {
  const ranges = [
    { from: 0, to: 4 },
    { from: 10, to: 13 },
  ]
  expect(cutRanges(ranges, { size: 3 })).toEqual([
    { from: 11, to: 13 },
    { from: 10, to: 10 },
    { from: 2, to: 4 },
    { from: 0, to: 1 },
  ])
  expect(cutRanges(ranges, { size: 3, count: 1 })).toEqual([{ from: 11, to: 13 }])
})
