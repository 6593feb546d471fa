import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, onTestFinished, test, vi } from 'vitest'
import { boundHeap, growthPercent } from './bound-heap.ts'

test('the heap may grow by 96 MB, or by three fifths of the live data if that is more', () => {
  const MB = 1024 * 1024
  expect([24, 48, 96, 160, 4_000].map((live) => growthPercent(live * MB))).toEqual([400, 200, 100, 60, 60])
})

test('the allowed growth is set only after collections of the whole heap', async () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as (options?: { type: 'minor' }) => void
  // No collection happens by itself soon.
  collect()
  await setImmediate()
  const told = vi.fn()
  onTestFinished(boundHeap(told))
  collect({ type: 'minor' })
  for (let turn = 0; turn < 5; turn++) await setImmediate()
  expect(told).not.toHaveBeenCalled()
  collect()
  await expect.poll(() => told).toHaveBeenCalled()
  expect(told.mock.lastCall?.[0]).toBeGreaterThanOrEqual(60)
})
