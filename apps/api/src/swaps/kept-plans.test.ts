import { MINUTE } from '@dexfeed/dex'
import { describe, expect, it } from 'vitest'
import type { ListPlan } from './day/list/list-plan.ts'
import { KeptPlans } from './kept-plans.ts'

const plan = { tag: 'a' } as ListPlan

/** Plans on a clock, and readers that begin with a list. */
function scene() {
  let time = 1_000_000
  const plans = new KeptPlans({ now: () => time })
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

it('a list that was sent whole is kept for a minute, one that was not for ten', () => {
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

it.each(['one', 'another'])('a reader that was sent all of it takes no time from %s that was not', (other) => {
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

describe('where there are too many', () => {
  const MANY = 1_000

  it('a client that breaks off all of its lists loses its own, and no other client loses any', () => {
    const { read, isKept } = scene()
    const own = ['a', 'b', 'c']
    for (const tag of own) read('one', tag)
    // Both have this one.
    read('greedy', 'a')
    for (let n = 0; n < MANY; n++) read('greedy', `greedy ${n}`)
    expect(own.filter(isKept)).toEqual(own)
    expect(isKept(`greedy ${MANY - 1}`)).toBe(true)
    expect(isKept('greedy 0')).toBe(false)
  })

  it('those that were sent whole, or only asked for, go before one that was not', () => {
    const { plans, read, isKept } = scene()
    read()
    for (let n = 0; n < MANY; n++) {
      read('another', `sent ${n}`)
      plans.end(`sent ${n}`, 'another')
      plans.keep(`asked ${n}`, plan)
    }
    expect(isKept()).toBe(true)
  })

  it('the oldest goes, of clients that have one each', () => {
    const { read, isKept } = scene()
    for (let n = 0; n < 65; n++) read(`client ${n}`, `list ${n}`)
    expect([0, 1, 64].map((n) => isKept(`list ${n}`))).toEqual([false, true, true])
  })
})
