import { setTimeout as delay } from 'node:timers/promises'

const SECOND = 1_000
const FIRST_PAUSE = SECOND / 2
const LONGEST_PAUSE = 30 * SECOND

/**
 * Repeats a step while it returns true and the signal has not aborted. After a failure, which `failed` is told and may
 * throw on, it is tried again after a growing pause of at most `longestPauseMs`.
 */
export async function repeatStep(
  signal: AbortSignal,
  step: () => Promise<boolean>,
  failed: (error: unknown) => Promise<void> | void,
  longestPauseMs: number = LONGEST_PAUSE,
): Promise<void> {
  for (let pause = FIRST_PAUSE; !signal.aborted; ) {
    try {
      if (!(await step())) return
      pause = FIRST_PAUSE
    } catch (error) {
      if (signal.aborted) return
      await failed(error)
      await delay(pause, undefined, { signal }).catch(() => undefined)
      pause = Math.min(2 * pause, longestPauseMs)
    }
  }
}
