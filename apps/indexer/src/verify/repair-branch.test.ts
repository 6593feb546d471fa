import { expect, test } from 'vitest'
import { AgreeingStretch } from './repair-branch.ts'

test('a walk back ends after enough blocks with enough trades, all of them correct', () => {
  const stretch = new AgreeingStretch()
  expect(stretch.add({ blocks: 500, trades: 80, agrees: true })).toBe(false)
  expect(stretch.add({ blocks: 500, trades: 80, agrees: true })).toBe(true)
})

test('blocks without trades prove nothing', () => {
  const stretch = new AgreeingStretch()
  expect(stretch.add({ blocks: 100_000, trades: 99, agrees: true })).toBe(false)
  expect(stretch.add({ blocks: 1, trades: 1, agrees: true })).toBe(true)
})

test('one difference restarts the stretch', () => {
  const stretch = new AgreeingStretch()
  stretch.add({ blocks: 900, trades: 900, agrees: true })
  expect(stretch.add({ blocks: 500, trades: 500, agrees: false })).toBe(false)
  expect(stretch.add({ blocks: 500, trades: 500, agrees: true })).toBe(false)
})
