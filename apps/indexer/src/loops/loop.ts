import { type Clock, systemClock } from '@dexfeed/chain'
import { SECOND } from '@dexfeed/dex'

/** The logger that the indexer needs (pino's shape). */
export interface IndexerLog {
  debug(values: object, message: string): void
  info(values: object, message: string): void
  warn(values: object, message: string): void
  error(values: object, message: string): void
}

/** Returns an error's message. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

const FIRST_PAUSE_MS = SECOND / 2
const LONGEST_PAUSE_MS = 30 * SECOND

/** The clock for a loop's pauses; undefined for the system's clock. */
export type LoopClock = Pick<Clock, 'sleep'> | undefined

export interface RepeatOptions {
  ended: AbortSignal
  longestPauseMs?: number
  clock?: LoopClock
}

/**
 * Repeats a step, which returns the pause before the next in milliseconds, until `ended` aborts or it returns null.
 * After a failure it tries again, with growing pauses up to `longestPauseMs`, unless `onFailure` throws.
 */
export async function repeatStep(
  { ended, longestPauseMs = LONGEST_PAUSE_MS, clock = systemClock }: RepeatOptions,
  step: () => Promise<number | null>,
  onFailure: (error: unknown) => Promise<void> | void,
): Promise<void> {
  // Wait on a separate signal: a dozen loops share `ended`, and each of them waits on it nearly always.
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

/** Lets a loop sleep until it is woken. A call to `wake` while the loop is awake is not lost. */
export interface WakeSignal {
  wake(): void
  /** Resolves on the next `wake`, when the loop ends, or after the timeout, then with false. */
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
