import { setMaxListeners } from 'node:events'
import { expect, it } from 'vitest'
import { type ManualClock, manualClock, passTime } from '../../test/test-clock.ts'
import { computeUnits } from './open-endpoints.ts'
import { RequestBudget, type RequestRate, type Spending } from './request-budget.ts'
import type { Priority } from './request-gate.ts'

const { signal: open } = new AbortController()
setMaxListeners(0, open)
const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

function budgetOf(rate: Partial<RequestRate> | null, clock: ManualClock = manualClock()) {
  const given = rate && { perS: 10, burst: 10, unit: 'items' as const, ...rate }
  const budget = new RequestBudget(given, clock, computeUnits({ eth_call: 100 }))
  const gone: string[] = []
  const take = (name: string, priority: Priority, cost: number): Promise<Spending> => {
    const taken = budget.take(priority, cost, open)
    void taken.then(() => gone.push(name))
    return taken
  }
  const pass = (ms: number) => passTime(clock, ms)
  return { budget, clock, gone, take, pass }
}

it('sends as many items as the burst allows immediately, and then as many per second as the rate', async () => {
  const { gone, take, pass } = budgetOf({})
  void take('ten', 'live', 10)
  void take('two', 'live', 2)
  await turn()
  expect(gone).toEqual(['ten'])
  await pass(190)
  expect(gone).toEqual(['ten'])
  await pass(10)
  expect(gone).toEqual(['ten', 'two'])
})

it('counts each item of a batch, or its compute units', () => {
  const batch = ['eth_getLogs', 'eth_call', 'eth_unheardOf'].map((method) => ({ method }))
  expect(budgetOf({}).budget.cost(batch)).toBe(3)
  expect(budgetOf({ unit: 'compute units' }).budget.cost(batch)).toBe(75 + 100 + 20)
})

it('keeps a reserve that only work at the head takes', async () => {
  const { budget, gone, take, pass } = budgetOf({})
  expect(budget.batchRoom('bulk')).toBe(5)
  void take('bulk 5', 'bulk', 5)
  void take('bulk 1', 'bulk', 1)
  void take('head 5', 'live', 5)
  await turn()
  expect(gone).toEqual(['bulk 5', 'head 5'])
  // The reserve is filled first.
  await pass(590)
  expect(gone).toEqual(['bulk 5', 'head 5'])
  await pass(10)
  expect(gone).toEqual(['bulk 5', 'head 5', 'bulk 1'])
})

it('sends work at the head before bulk work that was requested earlier', async () => {
  const { gone, take, pass } = budgetOf({})
  void take('all', 'live', 10)
  void take('bulk', 'bulk', 1)
  await pass(50)
  void take('head 1', 'live', 3)
  void take('head 2', 'live', 3)
  await pass(2_000)
  expect(gone).toEqual(['all', 'head 1', 'head 2', 'bulk'])
})

it('lets an item go that costs more than the burst, once all of it is there', async () => {
  const { gone, take, pass } = budgetOf({ perS: 10, burst: 20, unit: 'compute units' })
  void take('first', 'bulk', 75)
  void take('second', 'bulk', 20)
  await turn()
  expect(gone).toEqual(['first'])
  await pass(7_400)
  expect(gone).toEqual(['first'])
  await pass(100)
  expect(gone).toEqual(['first', 'second'])
})

it('moves history steadily at a budget a fifth above what the head needs, and never holds the head up', async () => {
  const { clock, take, pass } = budgetOf({ perS: 5.4, burst: 6 })
  let bulk = 0
  const history = async () => {
    for (;;) {
      await take('history', 'bulk', 1)
      bulk++
    }
  }
  void history()
  const waited: number[] = []
  const quarters: number[] = []
  for (let block = 0; block < 400; block++) {
    const { waitedMs } = await take('head', 'live', 2)
    waited.push(waitedMs)
    await pass(450)
    if (block % 100 === 99) quarters.push(bulk)
  }
  expect(clock.now()).toBe(180_000)
  expect(Math.max(...waited)).toBe(0)
  // 45 s at 5.4 per second, minus the head's 200 items.
  quarters.forEach((sum, i) => {
    const before = quarters[i - 1] ?? 0
    expect(sum - before).toBeGreaterThan(40)
    expect(sum - before).toBeLessThan(50)
  })
})

it('knows no limit until the endpoint refuses, and then holds up history alone', async () => {
  const { budget, gone, take, pass } = budgetOf(null)
  const spent = await take('bulk', 'bulk', 100)
  expect(budget.state().perS).toBeNull()
  budget.refused('bulk', spent, null)
  expect(budget.state().perS).toBeCloseTo(70)
  expect(budget.batchRoom('bulk')).toBeLessThan(50)
  void take('more', 'bulk', 1)
  await take('head', 'live', 50)
  expect(gone).toEqual(['bulk', 'head'])
  await pass(990)
  expect(gone).toEqual(['bulk', 'head'])
  await pass(1_000)
  expect(gone).toEqual(['bulk', 'head', 'more'])
})

it('holds up the head by what is learnt once the head itself is refused, for a minute, and cuts its batches', async () => {
  const { budget, gone, take, pass } = budgetOf(null)
  budget.refused('live', await take('blocks', 'live', 40), null)
  expect(budget.state().perS).toBeCloseTo(28)
  expect(budget.batchRoom('live')).toBe(20)
  void take('block', 'live', 14)
  await pass(400)
  expect(gone).toEqual(['blocks'])
  await pass(100)
  expect(gone).toEqual(['blocks', 'block'])
  await pass(60_000)
  await take('all', 'live', 500)
  await take('more', 'live', 2)
  expect(gone.slice(2)).toEqual(['all', 'more'])
})

it('obeys the pause that the endpoint requests, up to ten minutes', async () => {
  const { budget, gone, take, pass } = budgetOf({})
  budget.refused('bulk', await take('bulk', 'bulk', 1), 30_000)
  void take('more', 'bulk', 1)
  await pass(29_990)
  expect(gone).toEqual(['bulk'])
  await take('head', 'live', 1)
  await pass(10)
  expect(gone).toEqual(['bulk', 'head', 'more'])
  budget.refused('bulk', await take('again', 'bulk', 1), 86_400_000)
  expect(budget.bulkPauseMs()).toBe(600_000)
})

it('lowers a configured rate slightly after a single refusal, and further if another follows', async () => {
  const { budget, take, clock } = budgetOf({ perS: 100, burst: 40 })
  const room = budget.batchRoom('live')
  budget.refused('bulk', await take('a', 'bulk', 20), null)
  expect(budget.state().perS).toBeCloseTo(95)
  expect(budget.batchRoom('live')).toBe(room)
  clock.advance(5_000)
  budget.refused('bulk', { cost: 20, takenAt: clock.now(), waitedMs: 0 }, null)
  expect(budget.state().perS).toBeCloseTo(0.7 * 95)
  expect(budget.batchRoom('live')).toBe(10)
  clock.advance(31_000)
  const before = budget.state().perS ?? 0
  budget.refused('bulk', { cost: 1, takenAt: clock.now(), waitedMs: 0 }, null)
  expect(budget.state().perS).toBeCloseTo(0.95 * before)
})

it('counts refusals once that were under way together, and pauses longer each time', async () => {
  const { budget, take, clock } = budgetOf({ perS: 100, burst: 100 })
  const [a, b] = [await take('a', 'bulk', 10), await take('b', 'bulk', 10)]
  clock.advance(50)
  expect(budget.refused('bulk', a, null)).toBe(true)
  expect(budget.refused('bulk', b, null)).toBe(false)
  expect(budget.state().perS).toBeCloseTo(95)
  const pauses = [budget.bulkPauseMs()]
  for (let i = 0; i < 8; i++) {
    clock.advance(budget.bulkPauseMs())
    budget.refused('bulk', { cost: 1, takenAt: clock.now(), waitedMs: 0 }, null)
    pauses.push(budget.bulkPauseMs())
  }
  expect(pauses).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60].map((s) => s * 1000))
  budget.served('bulk')
  clock.advance(60_000)
  budget.refused('bulk', { cost: 1, takenAt: clock.now(), waitedMs: 0 }, null)
  expect(budget.bulkPauseMs()).toBe(1000)
})

it('leaves the head what it needs, whatever history is refused', async () => {
  const { budget, take, pass, clock } = budgetOf({ perS: 100, burst: 100 })
  for (let i = 0; i < 100; i++) {
    await take('head', 'live', 2)
    await pass(200)
  }
  for (let i = 0; i < 20; i++) budget.refused('bulk', { cost: 1, takenAt: clock.now() + i, waitedMs: 0 }, null)
  expect(budget.state().headPerS).toBeCloseTo(10, 0)
  expect(budget.state().perS).toBeGreaterThan(12)
})

/** A provider with its own token bucket. Returns null if it serves the request, else the pause that it requires. */
function provider(clock: ManualClock, perS: number, burst: number) {
  let [tokens, at] = [burst, clock.now()]
  return (items: number): boolean => {
    tokens = Math.min(burst, tokens + (perS * (clock.now() - at)) / 1000)
    at = clock.now()
    if (items > tokens) return false
    tokens -= items
    return true
  }
}

it('learns what an endpoint takes, and stays near it with few refusals', async () => {
  const { budget, clock, take, pass } = budgetOf(null)
  const serves = provider(clock, 50, 20)
  const counted = { served: 0, refused: 0 }
  const history = async () => {
    for (;;) {
      const items = Math.max(1, Math.min(100, Math.floor(budget.batchRoom('bulk'))))
      const spent = await take('history', 'bulk', items)
      const isServed = serves(items)
      counted[isServed ? 'served' : 'refused'] += items
      if (isServed) budget.served('bulk')
      else budget.refused('bulk', spent, null)
    }
  }
  void history()
  await pass(60_000)
  const learnt = { ...counted }
  await pass(120_000)
  expect((counted.served - learnt.served) / 120).toBeGreaterThan(30)
  expect(counted.refused - learnt.refused).toBeLessThan((counted.served - learnt.served) / 20)
})

it('goes back up to the rate of the settings, and no further', async () => {
  const { budget, clock, take, pass } = budgetOf({ perS: 20, burst: 20 })
  budget.refused('bulk', await take('bulk', 'bulk', 10), null)
  clock.advance(1000)
  budget.refused('bulk', { cost: 10, takenAt: clock.now(), waitedMs: 0 }, null)
  expect(budget.state().perS).toBeCloseTo(0.7 * 19)
  expect(budget.batchRoom('live')).toBe(5)
  clock.advance(2000)
  for (let i = 0; i < 400; i++) void take('history', 'bulk', 1)
  await pass(18_000)
  expect(budget.state().perS).toBe(20)
  expect(budget.batchRoom('live')).toBe(20)
})

it('releases all waiting work when it is closed', async () => {
  const clock = manualClock()
  const { budget } = budgetOf({ perS: 1, burst: 1 }, clock)
  const closing = new AbortController()
  await budget.take('live', 1, closing.signal)
  const waiting = (['live', 'bulk', 'bulk'] as const).map((priority) => budget.take(priority, 1, closing.signal))
  await turn()
  closing.abort()
  await Promise.all(waiting)
  await turn()
  expect(clock.waiting()).toBe(0)
})
