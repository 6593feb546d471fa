import { expect, it } from 'vitest'
import { BodyBuffers } from './body-buffers.ts'

const MIB = 1024 * 1024

it('gives the smallest of the free buffers that will do, and a new one where none does', () => {
  const buffers = new BodyBuffers()
  const [small, large] = [buffers.take(1), buffers.take(MIB + 1)]
  expect([small.length, large.length]).toEqual([64 * 1024, 2 * MIB])
  buffers.giveBack(large)
  buffers.giveBack(small)
  expect(buffers.take(0)).toBe(small)
  expect(buffers.take(10)).toBe(large)
  expect(buffers.take(10)).not.toBe(large)
})

it('keeps a few of those that were given back, and none of extraordinary size', () => {
  const buffers = new BodyBuffers()
  const taken = [1, 2, 3, 4, 5, 6, 7].map((count) => buffers.take(count * MIB))
  const [smallest, ...others] = taken
  const huge = buffers.take(17 * MIB)
  for (const buffer of [huge, ...taken]) buffers.giveBack(buffer)
  const again = taken.map(() => buffers.take(1))
  expect(again.slice(0, 6).every((buffer) => others.includes(buffer))).toBe(true)
  expect([smallest, huge]).not.toContain(again[6])
})
