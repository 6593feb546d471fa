import { setTimeout as delay } from 'node:timers/promises'

export interface Clock {
  /** Milliseconds since 1970, comparable with block times; never decreases. */
  now(): number
  /** Resolves after `ms`, or immediately when the signal aborts; never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  /** Uniform in [0, 1), for jitter. */
  random(): number
}

export const systemClock: Clock = {
  // The system clock can jump, and process uptime alone cannot give a block's age.
  now: () => performance.timeOrigin + performance.now(),
  sleep: async (ms, signal) => {
    await delay(ms, undefined, signal ? { signal } : {}).catch(() => undefined)
  },
  random: Math.random,
}
