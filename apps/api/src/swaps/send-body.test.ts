import { expect, it } from 'vitest'
import { Chunks } from './send-body.ts'

const MB = 1_048_576
/** The most readers at a time; each holds two chunks. */
const READERS = 1_024

it('bounds the memory of many readers, and gives few readers long chunks', () => {
  const chunks = new Chunks()
  const taken = Array.from({ length: READERS }, () => chunks.take())
  expect(Math.min(...taken.slice(0, 50))).toBe(MB / 4)
  expect(2 * taken.reduce((sum, length) => sum + length, 0)).toBeLessThan(100 * MB)
  for (const length of taken) chunks.giveBack(length)
  expect(chunks.take()).toBe(MB / 4)
})
