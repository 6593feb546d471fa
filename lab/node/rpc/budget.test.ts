import { expect, it } from 'vitest'
import { Budget } from './budget.ts'

function budgetAt(refusal: 'http' | 'item') {
  const clock = { ms: 0 }
  return { clock, budget: new Budget({ rate: 100, burst: 30, refusal }, () => clock.ms) }
}

it('a batch counts its items, and too large a batch is refused as a whole', () => {
  const { budget } = budgetAt('http')
  expect(budget.take(31)).toBe(0)
  expect(budget.take(30)).toBe(30)
  expect(budget.take(1)).toBe(0)
})

it('the bucket fills with time, up to the burst', () => {
  const { budget, clock } = budgetAt('http')
  budget.take(30)
  clock.ms = 55
  expect(budget.take(6)).toBe(0)
  expect(budget.take(5)).toBe(5)
  clock.ms = 60_000
  expect(budget.take(31)).toBe(0)
  expect(budget.take(30)).toBe(30)
})

it('item by item, as many are served as there are tokens', () => {
  const { budget, clock } = budgetAt('item')
  expect(budget.take(50)).toBe(30)
  clock.ms = 100
  expect(budget.take(50)).toBe(10)
  expect(budget.take(1)).toBe(0)
})

it('without a rate every item is served', () => {
  const budget = new Budget({ rate: null, burst: 1, refusal: 'http' }, () => 0)
  expect(budget.take(1_000)).toBe(1_000)
})
