import { expect, test } from 'vitest'
import { cutRanges, spansWithout } from './block-ranges.ts'

test('parts come newest first; the rest of a range is a smaller part', () => {
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

const block = (number: number) => ({ number, timestamp: 1_000 + number })
const span = (from: number, to: number, first = from, last = to) => ({
  from,
  to,
  fromTime: 1_000 + first,
  toTime: 1_000 + last,
})

test.each([
  ['none', [1, 2, 3], [], [span(1, 3)]],
  ['one in the middle', [1, 2, 3, 4, 5], [3], [span(1, 2), span(4, 5)]],
  ['the first and the last', [1, 2, 3], [1, 3], [span(2, 2)]],
  ['two beside each other', [1, 2, 3, 4], [2, 3], [span(1, 1), span(4, 4)]],
  ['all', [1, 2], [1, 2], []],
  [
    'one whose neighbours are not at hand: times are inside',
    [1, 50, 100],
    [50],
    [span(1, 49, 1, 1), span(51, 100, 100)],
  ],
  [
    'two with nothing at hand between: what is between is left too',
    [1, 50, 60, 100],
    [50, 60],
    [span(1, 49, 1, 1), span(61, 100, 100)],
  ],
])('without %s', (_, numbers, left, expected) => {
  expect(spansWithout(numbers.map(block), left)).toEqual(expected)
})
