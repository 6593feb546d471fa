import { MINUTE } from '@dexfeed/dex'
import { describe, expect, it } from 'vitest'
import type { ListPlan } from './day/list/list-plan.ts'
import { PlanCache } from './plan-cache.ts'

const plan = { tag: 'a' } as ListPlan

/** Plans with a test clock, and readers that begin with a list. */
function scene() {
  let time = 1_000_000
  const plans = new PlanCache({ now: () => time })
  const read = (client = 'one', tag = 'a') => {
    plans.keep(tag, plan)
    plans.begin(tag, client)
  }
  const isKept = (tag = 'a') => plans.get(tag) === plan
  const pass = (ms: number) => {
    time += ms
  }
  return { plans, read, isKept, pass }
}

it('a list that was sent whole is kept for a minute, an interrupted one for ten', () => {
  const { plans, read, isKept, pass } = scene()
  read()
  pass(10 * MINUTE - 1)
  expect(isKept()).toBe(true)
  plans.end('a', 'one')
  pass(MINUTE - 1)
  expect(isKept()).toBe(true)
  pass(2)
  expect(isKept()).toBe(false)
})

it.each(['one', 'another'])('a reader that got the whole list shortens no time for %s that did not', (other) => {
  const { plans, read, isKept, pass } = scene()
  read()
  pass(MINUTE)
  read(other)
  plans.end('a', 'one')
  pass(9 * MINUTE)
  expect(isKept()).toBe(true)
  plans.end('a', other)
  pass(MINUTE + 1)
  expect(isKept()).toBe(false)
})

describe('when there are too many', () => {
  const MANY = 1_000

  it('a client that breaks off all of its lists loses only its own', () => {
    const { read, isKept } = scene()
    const own = ['a', 'b', 'c']
    for (const tag of own) read('one', tag)
    // Both clients have this one.
    read('greedy', 'a')
    for (let n = 0; n < MANY; n++) read('greedy', `greedy ${n}`)
    expect(own.filter(isKept)).toEqual(own)
    expect(isKept(`greedy ${MANY - 1}`)).toBe(true)
    expect(isKept('greedy 0')).toBe(false)
  })

  it('lists that were sent whole, or only requested, are dropped before an interrupted one', () => {
    const { plans, read, isKept } = scene()
    read()
    for (let n = 0; n < MANY; n++) {
      read('another', `sent ${n}`)
      plans.end(`sent ${n}`, 'another')
      plans.keep(`requested ${n}`, plan)
    }
    expect(isKept()).toBe(true)
  })

  it('among clients with one list each, the oldest list is dropped', () => {
    const { read, isKept } = scene()
    for (let n = 0; n < 65; n++) read(`client ${n}`, `list ${n}`)
    expect([0, 1, 64].map((n) => isKept(`list ${n}`))).toEqual([false, true, true])
  })
})
