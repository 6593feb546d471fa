import { expect, test } from 'vitest'
import { cutChunks } from './cut-chunks.ts'

test('chunks come newest first and the rest of a range is a smaller one', () => {
  const ranges = [
    { from: 0, to: 4 },
    { from: 10, to: 13 },
  ]
  expect(cutChunks(ranges, { size: 3, count: 9 })).toEqual([
    { from: 11, to: 13, round: 0 },
    { from: 10, to: 10, round: 0 },
    { from: 2, to: 4, round: 0 },
    { from: 0, to: 1, round: 0 },
  ])
  expect(cutChunks(ranges, { size: 3, count: 1, round: 2 })).toEqual([{ from: 11, to: 13, round: 2 }])
})
