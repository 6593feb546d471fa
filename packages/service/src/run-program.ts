import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { helpIfRequested } from './command-help.mjs'
import type { Check } from './environment/read-variables.ts'
import type { Environment } from './environment/secret-files.ts'
import type { ProcessSettings } from './environment/settings.ts'
import { createLogger, formatFor, LOG_FORMATS, type LogFormat, type Logger, type LogStream } from './logger.ts'
import { maskUrls } from './mask-urls.ts'
import { openShutdown, type Shutdown, shutDownWithProcess } from './shutdown.ts'

/** Errors that are logged with their stack. For others the message is enough. */
const MISTAKES = [TypeError, RangeError, ReferenceError, SyntaxError]

interface Output {
  stdout: LogStream
  stderr: LogStream
}

/**
 * Runs a command and returns its exit code once everything is closed. `attach` connects what may end it early, such as
 * signals; it is not called if the settings are wrong.
 */
export type Run = (
  args: readonly string[],
  environment: Environment,
  output: Output,
  attach?: (shutdown: Shutdown, log: Logger) => void,
) => Promise<number>

export interface ProgramContext<T> {
  settings: T
  log: Logger
  output: Output
  shutdown: Shutdown
}

interface ProgramOptions {
  logTo?: 'stdout' | 'stderr'
}

type Start<T> = (context: ProgramContext<T>) => Promise<void>

/**
 * Returns a command that reads its settings, runs `start`, and closes everything at the end. `start` adds what keeps
 * the program running to `shutdown`. If the settings are wrong or the start fails, prints a line per problem to
 * standard error, in the format of the log, and returns 1.
 */
export function command<T extends ProcessSettings>(
  name: string,
  check: (args: readonly string[]) => Check<T>,
  start: Start<T>,
  { logTo = 'stdout' }: ProgramOptions = {},
): Run {
  return async (args, environment, output, attach) => {
    const tell = tellerOf(name, environment, output, logTo)
    const { settings, problems } = check(args)(environment, readText)
    for (const line of problems ?? []) tell('fatal', line)
    for (const line of settings?.warnings ?? []) tell('warn', line)
    if (!settings) return 1
    const to = output[logTo]
    const log = createLogger({ name, level: settings.logLevel, to, format: formatOf(environment, to) })
    const shutdown = openShutdown({ log })
    attach?.(shutdown, log)
    const started = start({ settings, log, output, shutdown }).catch((error: unknown) => {
      // A start that was interrupted by a signal may fail.
      if (shutdown.signal.aborted) return
      if (MISTAKES.some((mistake) => error instanceof mistake)) log.fatal({ err: error }, 'start failed')
      for (const line of linesOf(error)) tell('fatal', line, `${name}: `)
      shutdown.begin('start failed', 1)
    })
    shutdown.after(started)
    return shutdown.ended
  }
}

type Teller = (level: 'fatal' | 'warn', line: string, prefix?: string) => void

function tellerOf(name: string, environment: Environment, { stderr }: Output, logTo: keyof Output): Teller {
  const format = formatOf(environment, stderr)
  if (logTo === 'stderr' || format === 'text') return (_, line, prefix = '') => void stderr.write(`${prefix}${line}\n`)
  const log = createLogger({ name, level: 'warn', to: stderr, format })
  return (level, line) => log[level](line)
}

function formatOf({ LOG_FORMAT }: Environment, stream: LogStream): LogFormat {
  return LOG_FORMATS.find((format) => format === LOG_FORMAT?.trim().toLowerCase()) ?? formatFor(stream)
}

function readText(path: string): string {
  return readFileSync(path, 'utf8').replace(/^\uFEFF/, '')
}

/** Runs a command as this process, or prints its help. The only place that reads the environment. */
export function runCommand(run: Run): void {
  const args = process.argv.slice(2)
  helpIfRequested(basename(process.argv[1] ?? '', '.js'), args)
  void run(args, process.env, process, shutDownWithProcess).then((exitCode) => process.exit(exitCode))
}

export function runProgram<T extends ProcessSettings>(
  name: string,
  check: Check<T>,
  start: Start<T>,
  options?: ProgramOptions,
): void {
  runCommand(command(name, () => check, start, options))
}

function linesOf(error: unknown): string[] {
  const message = error instanceof Error ? error.message || error.name : String(error)
  return maskUrls(message.replace(/\s*\n\s+/g, ' '))
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
}
