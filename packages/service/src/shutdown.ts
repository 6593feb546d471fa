import { setTimeout as delay } from 'node:timers/promises'
import { SECOND } from '@dexfeed/dex'
import type { Logger } from './logger.ts'

const SIGNALS = ['SIGINT', 'SIGTERM'] as const
const GRACE_MS = 10 * SECOND
/** npm forwards a Ctrl-C to a program that already has it from the terminal. */
const SAME_SIGNAL_MS = SECOND / 2

export interface Shutdown {
  readonly signal: AbortSignal
  /**
   * Runs `close` when the program ends, the last one added first. After `graceMs` it is given up, and the exit code is
   * 1.
   */
  add(name: string, close: () => unknown, graceMs?: number): void
  /** Delays closing until `work`, the start of the program, has settled. */
  after(work: Promise<unknown>): void
  begin(reason: string, exitCode: number): void
  readonly ended: Promise<number>
}

export interface ShutdownOptions {
  log: Logger
  graceMs?: number
}

interface Closer {
  what: string
  run: () => unknown
  graceMs: number
}

export function openShutdown({ log, graceMs = GRACE_MS }: ShutdownOptions): Shutdown {
  const controller = new AbortController()
  const closers: Closer[] = []
  const waits: Promise<unknown>[] = []
  let exitCode = 0
  let end: (exitCode: number) => void
  const ended = new Promise<number>((resolve) => {
    end = resolve
  })

  const begin = (reason: string, code: number) => {
    exitCode ||= code
    if (controller.signal.aborted) return
    log.info({ reason }, 'shutting down')
    controller.abort(new Error(`shutting down: ${reason}`))
    void closeAll().then(() => end(exitCode))
  }

  const closeAll = async () => {
    await within(graceMs, Promise.allSettled(waits))
    for (let next = closers.pop(); next; next = closers.pop()) await close(next)
    log.debug({ exitCode }, 'bye')
  }

  const close = async ({ what, run, graceMs }: Closer) => {
    try {
      if (await within(graceMs, Promise.resolve(run()))) return
      log.error({ what, graceMs }, 'gave up closing')
    } catch (error) {
      log.error({ err: error, what }, 'did not close cleanly')
    }
    exitCode ||= 1
  }

  return {
    signal: controller.signal,
    begin,
    ended,
    add: (what, run, closerGraceMs = graceMs) => {
      closers.push({ what, run, graceMs: closerGraceMs })
    },
    after: (work) => {
      waits.push(work)
    },
  }
}

/** Ends the program on SIGINT, SIGTERM, the loss of the parent, or an unhandled error; immediately on a second signal. */
export function shutDownWithProcess({ signal, begin }: Shutdown, log: Logger): void {
  let begun: number | null = null
  signal.addEventListener('abort', () => {
    begun = Date.now()
  })
  const fail = (message: string) => (error: unknown) => {
    // The error is unexpected, so log its stack, whatever its class.
    log.fatal({ err: error, ...(error instanceof Error && { stack: error.stack }) }, message)
    begin(message, 1)
  }
  process.on('uncaughtException', fail('uncaught exception'))
  process.on('unhandledRejection', fail('unhandled rejection'))
  for (const name of SIGNALS) {
    process.on(name, () => {
      if (begun === null) begin(name, 0)
      else if (Date.now() - begun > SAME_SIGNAL_MS) process.exit(1)
    })
  }
  if (process.channel) {
    process.on('disconnect', () => begin('the parent process is gone', 0))
    // The listener would keep the channel, and so the process, alive.
    process.channel.unref()
  } else if (process.connected === false) {
    // The parent has already ended. Begin only after the caller has registered what to close.
    process.nextTick(begin, 'the parent process is gone', 0)
  }
}

async function within(ms: number, work: Promise<unknown>): Promise<boolean> {
  const timer = new AbortController()
  const late = delay(ms, false, { signal: timer.signal }).catch(() => false)
  const done = await Promise.race([work.then(() => true), late])
  timer.abort()
  return done
}
