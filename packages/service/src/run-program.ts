import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { helpIfRequested } from './command-help.mjs'
import type { Check } from './environment/read-variables.ts'
import type { ProcessSettings } from './environment/settings.ts'
import { createLogger, type Logger } from './logger.ts'
import { maskUrls } from './mask-urls.ts'
import { openShutdown, type Shutdown } from './shutdown.ts'

/** Errors of the code, which are logged with their place. For all others the message is enough. */
const MISTAKES = [TypeError, RangeError, ReferenceError, SyntaxError]

export interface ProgramContext<T> {
  settings: T
  log: Logger
  shutdown: Shutdown
}

/**
 * Runs a program: prints its help if that is requested (programs are dist/<command>.js); else reads its settings, makes a logger, and closes everything at the end. `start` returns when the
 * program runs; it adds what keeps it running to `shutdown`. A failed start prints one line per problem to standard
 * error and exits with code 1.
 */
export function runProgram<T extends ProcessSettings>(
  name: string,
  check: Check<T>,
  start: (context: ProgramContext<T>) => Promise<void>,
  { logTo = 'stdout' }: { logTo?: 'stdout' | 'stderr' } = {},
): void {
  helpIfRequested(basename(process.argv[1] ?? '', '.js'), process.argv.slice(2))
  const settings = settingsOrExit(check)
  const log = createLogger({ name, level: settings.logLevel, to: logTo })
  const shutdown = openShutdown({ log })
  const started = start({ settings, log, shutdown }).catch((error: unknown) => {
    // A start that a signal interrupts may fail.
    if (shutdown.signal.aborted) return
    if (MISTAKES.some((mistake) => error instanceof mistake)) log.fatal({ err: error }, 'start failed')
    for (const line of linesOf(error)) process.stderr.write(`${name}: ${line}\n`)
    shutdown.begin('start failed', 1)
  })
  shutdown.after(started)
}

/**
 * Returns the settings of this process. Prints each problem to standard error and exits with code 1 if there are any.
 * The only place that reads the environment.
 */
function settingsOrExit<T extends { warnings: readonly string[] }>(check: Check<T>): T {
  const { settings, problems } = check(process.env, (path) => readFileSync(path, 'utf8'))
  for (const line of problems ?? settings?.warnings ?? []) process.stderr.write(`${line}\n`)
  if (settings) return settings
  process.exit(1)
}

/** Returns an error's message without secrets, as one line for each of several problems. */
function linesOf(error: unknown): string[] {
  const message = error instanceof Error ? error.message || error.name : String(error)
  return maskUrls(message.replace(/\s*\n\s+/g, ' '))
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
}
