import { expect, test } from 'vitest'
import { countBlocks, cutChunks, sharedRanges, withoutRanges } from './cut-chunks.ts'

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

test('ranges that overlap and come in any order are left out once', () => {
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
