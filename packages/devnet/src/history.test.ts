import { expect, test } from 'vitest'
import { historyTimes } from './chain-archive.ts'
import { createRandom } from './random.ts'

test('times grow strictly, fill the span and end exactly at its end', () => {
  for (const count of [1, 2, 50, 400]) {
    const times = historyTimes(1_000_000, 1_604_800, count, createRandom(count))
    expect(times).toHaveLength(count)
    expect(times.at(-1)).toBe(1_604_800)
    let last = 1_000_000
    for (const time of times) {
      expect(time).toBeGreaterThan(last)
      expect(time - last).toBeLessThanOrEqual((1.45 * 604_800) / count + 1)
      last = time
    }
  }
})

test('more blocks than seconds is an error', () => {
  expect(() => historyTimes(0, 10, 20, createRandom(1))).toThrow('20 blocks do not fit')
})
