import { systemClock } from '@dexfeed/chain'
import { SECOND } from '@dexfeed/dex'

export interface IndexerLog {
  debug(values: object, message: string): void
  info(values: object, message: string): void
  warn(values: object, message: string): void
  error(values: object, message: string): void
}

export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

const FIRST_PAUSE_MS = SECOND / 2
const MAX_PAUSE_MS = 30 * SECOND

export interface SleepClock {
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

/** Times are in milliseconds. */
export interface TimeClock {
  now(): number
}

export type LoopClock = SleepClock | undefined

export interface LoopContext {
  log: IndexerLog
  clock?: LoopClock
}

export interface RepeatOptions {
  ended: AbortSignal
  maxPauseMs?: number
  clock?: LoopClock
}

/**
 * Repeats a step until it returns null or `ended` aborts. The step returns the pause before the next one (ms). Failures
 * are retried after growing pauses, unless `onFailure` throws.
 */
export async function repeatStep(
  { ended, maxPauseMs = MAX_PAUSE_MS, clock = systemClock }: RepeatOptions,
  step: () => Promise<number | null>,
  onFailure: (error: unknown) => Promise<void> | void,
): Promise<void> {
  // A dozen loops share `ended`. A signal of its own for each loop keeps the listeners of `ended` few.
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
      pause = Math.min(2 * pause, maxPauseMs)
    }
  }
}

interface LoggedOptions extends RepeatOptions {
  log: IndexerLog
  level?: 'debug' | 'warn'
}

/** Like `repeatStep`; logs each failure as `failure`. */
export function repeatLogged(
  { log, level = 'warn', ...options }: LoggedOptions,
  failure: string,
  step: () => Promise<number | null>,
): Promise<void> {
  return repeatStep(options, step, (error) => log[level]({ err: error }, failure))
}

/** A `wake` that comes while nobody waits is not lost. */
export interface WakeSignal {
  wake(): void
  /** Resolves with false after the timeout. */
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
