import { MINUTE } from '@dexfeed/dex'
import { expect, test } from 'vitest'
import { progressLogger } from './log-progress.ts'

test('progress is logged once a minute while its speed is known, with the time left', () => {
  const lines: unknown[] = []
  let now = 0
  const report = progressLogger({ info: (fields) => lines.push(fields) }, () => now)
  report({ done: 0, total: 10_000, blocksPerS: null })
  report({ done: 100, total: 10_000, blocksPerS: 1.5 })
  now = MINUTE - 1
  report({ done: 200, total: 10_000, blocksPerS: 1.5 })
  now = MINUTE
  report({ done: 4_000, total: 10_000, blocksPerS: 0 })
  report({ done: 4_600, total: 10_000, blocksPerS: 1.5 })
  report({ done: 10_000, total: 10_000, blocksPerS: null })
  expect(lines).toEqual([
    { done: 100, total: 10_000, blocksPerS: 2, left: '1 h 50 min' },
    { done: 4_600, total: 10_000, blocksPerS: 2, left: '1 h 0 min' },
  ])
})
