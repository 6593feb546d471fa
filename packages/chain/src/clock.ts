import { setTimeout as delay } from 'node:timers/promises'

/** Time as the chain client needs it; tests bring their own. */
export interface Clock {
  /** Milliseconds since 1970, which blocks' times are compared with; only grows. */
  now(): number
  /** Resolves after `ms`, or at once when the signal aborts; never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  /** Uniform in [0, 1), for jitter. */
  random(): number
}

export const systemClock: Clock = {
  // The system's time jumps, and how long the process runs tells no block's age.
  now: () => performance.timeOrigin + performance.now(),
  sleep: async (ms, signal) => {
    await delay(ms, undefined, signal ? { signal } : {}).catch(() => undefined)
  },
  random: Math.random,
}
