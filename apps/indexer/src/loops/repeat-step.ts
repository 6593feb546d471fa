import { type Clock, systemClock } from '@dexfeed/chain'

const SECOND = 1_000
const FIRST_PAUSE = SECOND / 2
const LONGEST_PAUSE = 30 * SECOND

export interface RepeatOptions {
  /** Ends the repeating. */
  signal: AbortSignal
  longestPauseMs?: number
  /** For the pauses after failures; default: the system's. */
  clock?: Pick<Clock, 'sleep'> | undefined
}

/**
 * Repeats a step while it returns true and the signal has not aborted. After a failure, which `failed` is told and may
 * throw on, it is tried again after a growing pause of at most `longestPauseMs`.
 */
export async function repeatStep(
  { signal, longestPauseMs = LONGEST_PAUSE, clock = systemClock }: RepeatOptions,
  step: () => Promise<boolean>,
  failed: (error: unknown) => Promise<void> | void,
): Promise<void> {
  for (let pause = FIRST_PAUSE; !signal.aborted; ) {
    try {
      if (!(await step())) return
      pause = FIRST_PAUSE
    } catch (error) {
      if (signal.aborted) return
      await failed(error)
      await clock.sleep(pause, signal)
      pause = Math.min(2 * pause, longestPauseMs)
    }
  }
}
