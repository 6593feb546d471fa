import { MINUTE } from '@dexfeed/dex'
import { expect, it } from 'vitest'
import type { ListPlan } from './day/list/list-plan.ts'
import { KeptPlans } from './kept-plans.ts'

const plan = { tag: 'a' } as ListPlan

/** Plans on a clock, and a reader that begins with the list. */
function scene() {
  let time = 1_000_000
  const plans = new KeptPlans({ now: () => time })
  const read = () => {
    plans.keep('a', plan)
    plans.begin('a')
  }
  const isKept = () => plans.get('a') === plan
  const pass = (ms: number) => {
    time += ms
  }
  return { plans, read, isKept, pass }
}

it('a list that was sent whole is kept for a minute, one that was not for ten', () => {
  const { plans, read, isKept, pass } = scene()
  read()
  pass(10 * MINUTE - 1)
  expect(isKept()).toBe(true)
  plans.end('a')
  pass(MINUTE - 1)
  expect(isKept()).toBe(true)
  pass(2)
  expect(isKept()).toBe(false)
})

it('a reader that was sent all of it takes no time from another that was not', () => {
  const { plans, read, isKept, pass } = scene()
  read()
  pass(MINUTE)
  read()
  plans.end('a')
  pass(9 * MINUTE)
  expect(isKept()).toBe(true)
  plans.end('a')
  pass(MINUTE + 1)
  expect(isKept()).toBe(false)
})
