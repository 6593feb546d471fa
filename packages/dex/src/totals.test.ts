import { expect, test } from 'vitest'
import { Counts, Totals } from './totals.ts'

test('the sum of a key without amounts is 0, and asking adds no key', () => {
  const totals = new Totals<string>([['a', 5n]])
  expect(totals.of('b')).toBe(0n)
  expect(totals.add('a', -7n)).toBe(-2n)
  expect(totals.add('b', 1n)).toBe(1n)
  expect([...totals]).toEqual([
    ['a', -2n],
    ['b', 1n],
  ])
  expect(new Totals().of('a')).toBe(0n)
})

test('a key is counted once, or as often as given', () => {
  const counts = new Counts<string>()
  expect(counts.add('a')).toBe(1)
  expect(counts.add('a', 3)).toBe(4)
  expect(counts.of('b')).toBe(0)
  expect([...counts.keys()]).toEqual(['a'])
})
