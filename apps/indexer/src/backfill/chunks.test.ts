import { expect, test } from 'vitest'
import { chunkSize } from './chunks.ts'

test('a chunk is about forty-five seconds of work', () => {
  expect(chunkSize([{ blocks: 100, trades: 10, ms: 30_000 }])).toBe(150)
})

test('a chunk brings about a hundred thousand trades at most', () => {
  expect(chunkSize([{ blocks: 100, trades: 500_000, ms: 100 }])).toBe(20)
})

test('chunks at most double, so that a quiet time does not end in a chunk too busy', () => {
  expect(chunkSize([{ blocks: 300, trades: 0, ms: 1 }])).toBe(600)
})

test('a slow node gets one block at a time, and jobs without work do not count', () => {
  expect(chunkSize([{ blocks: 1, trades: 5, ms: 60_000 }])).toBe(1)
  expect(chunkSize([{ blocks: 0, trades: 0, ms: 1 }])).toBe(chunkSize([]))
})
