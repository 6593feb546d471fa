import { expect, it } from 'vitest'
import { type ManualClock, manualClock, passTime } from '../../test/test-clock.ts'
import { remoteBudgets } from './open-endpoints.ts'
import { RequestBudget, type RequestRate, type Spending } from './request-budget.ts'
import type { Priority } from './request-gate.ts'
import { BudgetServer, newsOf } from './shared-budget.ts'

const { signal: open } = new AbortController()

/** A budget, and its counterpart in another process with another clock. */
function shared(rate: Partial<RequestRate> | null, clock: ManualClock = manualClock()) {
  const given = rate && { perS: 10, burst: 10, unit: 'items' as const, ...rate }
  const budget = new RequestBudget(given, clock, () => 7)
  const otherClock = { ...clock, now: () => clock.now() + 1_000_000, random: clock.random }
  const settings = { network: 'eth', urls: ['http://node'], rates: [given], computeUnits: { eth_call: 7 } } as const
  // As between processes, messages arrive later and as copies.
  const server = new BudgetServer(budget, (reply) => {
    const copy = structuredClone(reply)
    setImmediate(() => remote?.receive(copy))
  })
  const [remote] = remoteBudgets(
    settings,
    [structuredClone(newsOf(budget))],
    (_, call) => {
      const copy = structuredClone(call)
      setImmediate(() => server.receive(copy))
    },
    otherClock,
  )
  if (remote === undefined) throw new Error('no budget')
  const gone: string[] = []
  const take = (name: string, from: 'here' | 'there', priority: Priority, cost: number): Promise<Spending> => {
    const taken = (from === 'here' ? budget : remote).take(priority, cost, open)
    void taken.then(() => gone.push(name))
    return taken
  }
  const pass = (ms: number) => passTime(clock, ms)
  return { budget, remote, server, gone, take, pass, otherClock }
}

it('two processes together get what one alone would, and the head goes first', async () => {
  const { remote, gone, take, pass } = shared({})
  expect(remote.batchRoom('bulk')).toBe(5)
  void take('history 5', 'there', 'bulk', 5)
  void take('history 1', 'there', 'bulk', 1)
  await pass(10)
  expect(gone).toEqual(['history 5'])
  void take('head 5', 'here', 'live', 5)
  await pass(10)
  expect(gone).toEqual(['history 5', 'head 5'])
  await pass(560)
  expect(gone).toEqual(['history 5', 'head 5'])
  await pass(100)
  expect(gone).toEqual(['history 5', 'head 5', 'history 1'])
})

it('what waited, cost and limits are known in the other process, too, by its own clock', async () => {
  const { remote, take, pass, otherClock } = shared({ unit: 'compute units', perS: 100, burst: 20 })
  expect(remote.cost([{ method: 'eth_call' }, { method: 'eth_call' }])).toBe(14)
  expect(remote.state()).toMatchObject({ perS: 100, unit: 'compute units' })
  void take('all', 'here', 'live', 20)
  const waits = take('waits', 'there', 'live', 10)
  await pass(200)
  const { waitedMs } = await waits
  expect(waitedMs).toBeGreaterThanOrEqual(100)
  expect(waitedMs).toBeLessThan(150)
  expect(remote.bulkFrom).toBeLessThanOrEqual(otherClock.now())
})

it('a refusal there lowers the rate of both, counts once for what was in flight together, and pauses history', async () => {
  const { budget, remote, take, pass, otherClock } = shared(null)
  expect(remote.state().perS).toBeNull()
  expect(remote.batchRoom('live')).toBe(Number.POSITIVE_INFINITY)
  const sent = [1, 2].map((number) => take(String(number), 'there', 'bulk', 1))
  await pass(10)
  const [first, second] = (await Promise.all(sent)) as [Spending, Spending]
  expect([first, second].map((spending) => remote.refused('bulk', spending, 2_000))).toEqual([true, false])
  await pass(10)
  const rate = budget.state().perS
  expect(rate).not.toBeNull()
  expect(remote.state().perS).toBe(rate)
  expect(remote.bulkPauseMs()).toBeGreaterThan(1_900)
  expect(remote.bulkFrom).toBeGreaterThan(otherClock.now())
  remote.served('bulk')
  await pass(2_100)
  const again = take('again', 'there', 'bulk', 1)
  await pass(1_000)
  expect(remote.refused('bulk', await again, null)).toBe(true)
})

it('work that is given up waits no longer, nor does what a process leaves that ends', async () => {
  const { budget, remote, server, gone, take, pass } = shared({})
  void take('all', 'here', 'live', 10)
  const stop = new AbortController()
  const given = remote.take('live', 10, stop.signal)
  const aborted = remote.take('live', 10, AbortSignal.abort())
  await pass(10)
  stop.abort()
  await Promise.all([given, aborted])
  void take('there', 'there', 'live', 10)
  await pass(10)
  server.close()
  void take('here', 'here', 'live', 1)
  await pass(100)
  expect(gone).toEqual(['all', 'here'])
  expect(budget.state().perS).toBe(10)
})
