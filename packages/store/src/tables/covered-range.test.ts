import { ROW_RULES } from '@dexfeed/dex'
import { expect, test } from 'vitest'
import { renewed, toCoveredRanges, toOldRanges } from './covered-range.ts'

const ranged = (rules: number, from: number, to: number) => ({ rules, from, to, fromTime: from * 10, toTime: to * 10 })
/** The rest of an old range: both of its times are the one that is still known. */
const cut = (from: number, to: number, time: number) => ({ rules: 0, from, to, fromTime: time, toTime: time })

test.each([
  ['the whole of an old range', [ranged(0, 1, 9)], ranged(1, 1, 9), [ranged(1, 1, 9)]],
  ['its end', [ranged(0, 1, 9)], ranged(1, 7, 9), [cut(1, 6, 10), ranged(1, 7, 9)]],
  ['its beginning', [ranged(0, 1, 9)], ranged(1, 1, 3), [ranged(1, 1, 3), cut(4, 9, 90)]],
  ['its middle', [ranged(0, 1, 9)], ranged(1, 4, 5), [cut(1, 3, 10), ranged(1, 4, 5), cut(6, 9, 90)]],
  [
    'what lies between two new ranges',
    [ranged(1, 1, 3), ranged(0, 4, 5), ranged(1, 6, 9)],
    ranged(1, 4, 5),
    [ranged(1, 1, 9)],
  ],
  [
    'parts of an old and of a new range',
    [ranged(0, 1, 5), ranged(1, 6, 9)],
    ranged(1, 4, 7),
    [cut(1, 3, 10), ranged(1, 4, 9)],
  ],
  ['all of several', [ranged(0, 2, 5), ranged(1, 6, 7), ranged(0, 8, 9)], ranged(1, 2, 9), [ranged(1, 2, 9)]],
])('a range that is renewed takes the place of %s', (_, stored, span, result) => {
  expect(renewed(stored, span)).toEqual(result)
})

test('readers see adjacent ranges as one, with the times of its ends, and the old ones among them', () => {
  const stored = (rules: number, from: number, to: number) => {
    const time = (block: number) => new Date(block * 10_000).toISOString()
    return { chain_id: 1, from_block: from, to_block: to, from_time: time(from), to_time: time(to), rules }
  }
  const rows = [stored(ROW_RULES, 1, 3), stored(0, 4, 9), stored(ROW_RULES, 10, 12), stored(0, 20, 21)]
  expect(toCoveredRanges(rows)).toEqual([
    { from: 1, to: 12, fromTime: 10, toTime: 120 },
    { from: 20, to: 21, fromTime: 200, toTime: 210 },
  ])
  expect(toOldRanges(rows)).toEqual([
    { from: 4, to: 9 },
    { from: 20, to: 21 },
  ])
})
