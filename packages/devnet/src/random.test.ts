import { expect, test } from 'vitest'
import { createRandom } from './random.ts'

test('the same seed gives the same sequence, another seed another one', () => {
  const draw = (seed: number) => Array.from({ length: 5 }, createRandom(seed).next)
  expect(draw(7)).toEqual(draw(7))
  expect(draw(7)).not.toEqual(draw(8))
})

test('numbers stay in their range and fill it evenly', () => {
  const random = createRandom(1)
  const counts = [0, 0, 0, 0]
  for (let index = 0; index < 4000; index++) {
    const drawn = random.integer(4)
    counts[drawn] = (counts[drawn] ?? 0) + 1
  }
  expect(counts).toHaveLength(4)
  for (const count of counts) expect(Math.abs(count - 1000)).toBeLessThan(120)
})

test('normal numbers have mean zero and deviation one', () => {
  const random = createRandom(2)
  const drawn = Array.from({ length: 4000 }, random.normal)
  const mean = drawn.reduce((sum, value) => sum + value, 0) / drawn.length
  const variance = drawn.reduce((sum, value) => sum + value ** 2, 0) / drawn.length
  expect(Math.abs(mean)).toBeLessThan(0.06)
  expect(Math.abs(variance - 1)).toBeLessThan(0.1)
})

test('picking from an empty list is an error', () => {
  expect(() => createRandom(1).pick([])).toThrow('nothing to pick from')
})
