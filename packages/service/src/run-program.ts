import type { Check } from './environment/check-environment.ts'
import type { ProgramSettings } from './environment/settings.ts'
import { settingsOrExit } from './environment.ts'
import { createLogger, type Logger } from './logger.ts'
import { maskUrls } from './mask-urls.ts'
import { openShutdown, type Shutdown } from './shutdown.ts'

/** Mistakes of ours, whose place in the code matters; every other error is told by its sentence. */
const MISTAKES = [TypeError, RangeError, ReferenceError, SyntaxError]

export interface ProgramContext<T> {
  settings: T
  log: Logger
  shutdown: Shutdown
}

/**
 * Runs a program: settings from the environment, a logger, an orderly end. `start` returns once the program runs;
 * what keeps it running it adds to `shutdown`. A failed start is a line on standard error for each problem, and exit code 1.
 */
export function runProgram<T extends ProgramSettings>(
  name: string,
  check: Check<T>,
  start: (context: ProgramContext<T>) => Promise<void>,
  { logTo = 'stdout' }: { logTo?: 'stdout' | 'stderr' } = {},
): void {
  const settings = settingsOrExit(check)
  const log = createLogger({ name, level: settings.logLevel, to: logTo })
  const shutdown = openShutdown({ log })
  const started = start({ settings, log, shutdown }).catch((error: unknown) => {
    // What was being started when the process was told to end may well fail.
    if (shutdown.signal.aborted) return
    if (MISTAKES.some((mistake) => error instanceof mistake)) log.fatal({ err: error }, 'start failed')
    for (const line of linesOf(error)) process.stderr.write(`${name}: ${line}\n`)
    shutdown.begin('start failed', 1)
  })
  shutdown.after(started)
}

/** An error's sentence without secrets; a line for each where the error tells of several problems. */
function linesOf(error: unknown): string[] {
  const message = error instanceof Error ? error.message || error.name : String(error)
  return maskUrls(message.replace(/\s*\n\s+/g, ' '))
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
}
