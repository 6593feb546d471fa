import { setTimeout as delay } from 'node:timers/promises'

export interface Clock {
  /** Milliseconds since 1970, comparable with block times; never decreases. */
  now(): number
  /** Resolves after `ms`, or immediately when the signal aborts; never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  /** Uniform in [0, 1). */
  random(): number
}

export const systemClock: Clock = {
  // Date.now() may jump, and performance.now() alone is not comparable with block times.
  now: () => performance.timeOrigin + performance.now(),
  sleep: async (ms, signal) => {
    await delay(ms, undefined, signal ? { signal } : {}).catch(() => undefined)
  },
  random: Math.random,
}
