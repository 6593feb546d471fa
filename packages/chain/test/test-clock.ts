import { expect, vi } from 'vitest'
import type { Clock } from '../src/clock.ts'

export interface TestClock extends Clock {
  readonly slept: number[]
}

export function hastyClock(): TestClock {
  const slept: number[] = []
  let now = 0
  return {
    slept,
    now: () => now,
    random: () => 1,
    sleep: async (ms) => {
      slept.push(ms)
      const due = now + ms
      await new Promise<void>((resolve) => setImmediate(resolve))
      now = Math.max(now, due)
    },
  }
}

export interface ManualClock extends Clock {
  advance(ms: number): void
  waiting(): number
}

export function manualClock(): ManualClock {
  const sleepers = new Set<{ due: number; wake: () => void }>()
  let now = 0
  return {
    now: () => now,
    random: () => 1,
    waiting: () => sleepers.size,
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        const sleeper = {
          due: now + ms,
          wake: () => {
            sleepers.delete(sleeper)
            signal?.removeEventListener('abort', sleeper.wake)
            resolve()
          },
        }
        sleepers.add(sleeper)
        if (signal?.aborted) sleeper.wake()
        signal?.addEventListener('abort', sleeper.wake, { once: true })
      }),
    advance: (ms) => {
      now += ms
      for (const sleeper of [...sleepers]) if (sleeper.due <= now) sleeper.wake()
    },
  }
}

export async function passTime(clock: ManualClock, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 10) {
    clock.advance(10)
    for (let turn = 0; turn < 4; turn++) await new Promise<void>((resolve) => setImmediate(resolve))
  }
}

/** Lets time pass in steps until a condition holds. */
export async function passUntil(clock: ManualClock, stepMs: number, until: () => boolean): Promise<void> {
  const step = () => {
    clock.advance(stepMs)
    expect(until()).toBe(true)
  }
  await vi.waitFor(step, { interval: 2, timeout: 30_000 })
}
