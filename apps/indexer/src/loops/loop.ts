import { type Clock, systemClock } from '@dexfeed/chain'
import { SECOND } from '@dexfeed/dex'

/** What the indexer needs of a logger (pino's shape). */
export interface IndexerLog {
  debug(values: object, message: string): void
  info(values: object, message: string): void
  warn(values: object, message: string): void
  error(values: object, message: string): void
}

/** An error's sentence. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

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

/** Lets a loop sleep until somebody wakes it; a call that came while it was awake is not missed. */
export interface WakeSignal {
  wake(): void
  /**
   * Resolves with the next call, with the end of all, or after this time.
   *
   * @returns false: the time was over
   */
  wait(timeoutMs?: number): Promise<boolean>
}

export function wakeSignal(ended: AbortSignal): WakeSignal {
  let pending = true
  let resolveNext: (() => void) | null = null
  const wake = () => {
    pending = true
    resolveNext?.()
  }
  ended.addEventListener('abort', wake, { once: true })
  return {
    wake,
    async wait(timeoutMs) {
      if (!pending) {
        let timer: NodeJS.Timeout | undefined
        await new Promise<void>((resolve) => {
          resolveNext = resolve
          if (timeoutMs !== undefined) timer = setTimeout(resolve, timeoutMs)
        })
        clearTimeout(timer)
      }
      const isWoken = pending
      resolveNext = null
      pending = false
      return isWoken
    },
  }
}
