import { expect, test } from 'vitest'
import { Finality } from './follower.ts'

const DEPTH = 4

test.each([
  [10, 10],
  [20, 20],
  [22, 22 - DEPTH],
  [20 + DEPTH, 20],
  [90, 20],
])('where a node calls block 20 final, and block %i was read, %i is final', (read, final) => {
  const finality = new Finality(DEPTH)
  finality.claim(20)
  expect(finality.at(read)).toBe(final)
})

test('a final block stays final when no node claims it any more', () => {
  const finality = new Finality(DEPTH)
  finality.claim(20)
  finality.committed(finality.at(30))
  finality.claim(0)
  expect([finality.at(30), finality.highest]).toEqual([20, 20])
})
