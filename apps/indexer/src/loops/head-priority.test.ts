import { beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { HeadPriority } from './head-priority.ts'

beforeEach(() => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
})

/** Sets a process's time and load by hand, and lists the work that was allowed to begin. */
function scene() {
  const world = { now: 0, busy: 1 }
  const priority = new HeadPriority({ now: () => world.now, busyShare: () => world.busy })
  const begun: string[] = []
  const ask = (name: string) => void priority.bulkTurn().then(() => begun.push(name))
  const pass = async (ms: number) => {
    for (const end = world.now + ms; world.now < end; ) {
      world.now += 25
      await vi.advanceTimersByTimeAsync(25)
    }
  }
  return { world, priority, begun, ask, pass }
}

it('lets bulk work begin immediately while no head is late', async () => {
  const { priority, begun, ask, pass } = scene()
  ask('before any step')
  const over = priority.beginStep()
  await pass(900)
  ask('in a step that takes its time')
  await vi.advanceTimersByTimeAsync(0)
  expect(begun).toEqual(['before any step', 'in a step that takes its time'])
  over()
})

it('holds bulk work back while a head is late and the process busy, and releases it in order', async () => {
  const { world, priority, begun, ask, pass } = scene()
  // This head was announced before the step began.
  const over = priority.beginStep(-1_500)
  const quick = priority.beginStep()
  for (const name of ['a', 'b', 'c']) ask(name)
  await pass(1_000)
  expect(begun).toEqual([])
  world.busy = 0.5
  await pass(25)
  expect(begun).toEqual(['a'])
  world.busy = 1
  await pass(200)
  expect(begun).toEqual(['a'])
  quick()
  over()
  ask('d')
  await pass(25)
  expect(begun).toEqual(['a', 'b', 'c', 'd'])
  expect(vi.getTimerCount()).toBe(0)
})

it('holds nothing back permanently', async () => {
  const { priority, begun, ask, pass } = scene()
  priority.beginStep(-10_000)
  ask('a')
  await pass(3_900)
  expect(begun).toEqual([])
  await pass(200)
  expect(begun).toEqual(['a'])
})

it('counts only the time since the previous measurement', async () => {
  vi.useRealTimers()
  const priority = new HeadPriority()
  const over = priority.beginStep(performance.now() - 2_000)
  const until = performance.now() + 100
  while (performance.now() < until);
  // The process is idle from here on.
  await priority.bulkTurn()
  over()
})
