import { expect, test } from 'vitest'
import { SliceSize } from './slice-size.ts'

/** The sizes of slices one after the other, where at most so many blocks come as one answer. */
function slices(sizes: SliceSize, count: number, most: number): number[] {
  return Array.from({ length: count }, () => {
    const slice = sizes.next(1_000_000)
    const answers: number[] = []
    for (let left = slice.blocks; left > 0; left -= most) answers.push(Math.min(left, most))
    sizes.came(slice, answers)
    return slice.blocks
  })
}

test('slices double until one is cut, and are then tried somewhat larger now and again', () => {
  const sizes = new SliceSize(5)
  expect(slices(sizes, 4, 50)).toEqual([10, 20, 40, 80])
  expect(slices(sizes, 18, 50)).toEqual([...Array(16).fill(40), 50, 63])
  expect(slices(sizes, 17, 50)).toEqual([...Array(16).fill(50), 63])
})

test('a slice of the usual size that is cut says what comes as one answer', () => {
  const sizes = new SliceSize(40)
  slices(sizes, 1, 40)
  expect(slices(sizes, 3, 12)).toEqual([40, 12, 12])
})

test('an attempt of which less comes than of others does so, too', () => {
  const sizes = new SliceSize(40)
  const attempt = sizes.next(1_000)
  sizes.came(attempt, [30, 30, 20])
  expect(sizes.next(1_000).blocks).toBe(30)
})

test('one larger slice is tried at a time, and what is left is none', () => {
  const sizes = new SliceSize(10)
  const [first, second, third] = [sizes.next(1_000), sizes.next(1_000), sizes.next(7)]
  expect([first, second, third].map(({ blocks, isAttempt }) => [blocks, isAttempt])).toEqual([
    [20, true],
    [10, false],
    [7, false],
  ])
  sizes.came(first, [20])
  sizes.came(third, [7])
  expect(sizes.next(1_000)).toEqual({ blocks: 40, isAttempt: true })
})
