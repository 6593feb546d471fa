import { type Clock, systemClock } from '@dexfeed/chain'
import { SECOND } from '@dexfeed/dex'

const FIRST_PAUSE_MS = SECOND / 2
const LONGEST_PAUSE_MS = 30 * SECOND

/** For the pauses of a loop; unset: the system's. */
export type LoopClock = Pick<Clock, 'sleep'> | undefined

export interface RepeatOptions {
  /** Ends the repeating. */
  ended: AbortSignal
  longestPauseMs?: number
  clock?: LoopClock
}

/**
 * Repeats a step until `ended` aborts, or until it returns null. After a failure it is tried again, after pauses that
 * grow up to `longestPauseMs`.
 *
 * @param step returns how long to pause before the next one, in milliseconds
 * @param onFailure may throw, which ends the repeating
 */
export async function repeatStep(
  { ended, longestPauseMs = LONGEST_PAUSE_MS, clock = systemClock }: RepeatOptions,
  step: () => Promise<number | null>,
  onFailure: (error: unknown) => Promise<void> | void,
): Promise<void> {
  // A signal of its own to wait on: a dozen loops end together, and each of them nearly always waits.
  const own = AbortSignal.any([ended])
  for (let pause = FIRST_PAUSE_MS; !ended.aborted; ) {
    try {
      const rest = await step()
      if (rest === null) return
      pause = FIRST_PAUSE_MS
      if (rest > 0) await clock.sleep(rest, own)
    } catch (error) {
      if (ended.aborted) return
      await onFailure(error)
      await clock.sleep(pause, own)
      pause = Math.min(2 * pause, longestPauseMs)
    }
  }
}
