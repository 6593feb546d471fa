import { MINUTE } from '@dexfeed/dex'
import { expect, test } from 'vitest'
import { progressLogger } from './queue-loops.ts'

test('progress is logged once a minute while its speed is known, with the time left', () => {
  const lines: unknown[] = []
  let now = 0
  const report = progressLogger({ info: (fields) => lines.push(fields) }, () => now)
  const shared = { total: 10_000, old: 0 }
  report({ ...shared, done: 0, blocksPerS: null })
  report({ ...shared, done: 100, blocksPerS: 1.5 })
  now = MINUTE - 1
  report({ ...shared, done: 200, blocksPerS: 1.5 })
  now = MINUTE
  report({ ...shared, done: 4_000, blocksPerS: 0 })
  report({ ...shared, done: 4_600, blocksPerS: 1.5 })
  report({ ...shared, done: 10_000, blocksPerS: null })
  now = 2 * MINUTE
  report({ done: 10_000, total: 10_000, old: 900, blocksPerS: 1.5 })
  expect(lines).toEqual([
    { done: 100, total: 10_000, blocksPerS: 2, left: '1 h 50 min' },
    { done: 4_600, total: 10_000, blocksPerS: 2, left: '1 h 0 min' },
    { old: 900, total: 10_000, blocksPerS: 2, left: '10 min' },
  ])
})
