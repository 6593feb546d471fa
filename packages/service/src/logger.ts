import { type Logger, pino } from 'pino'
import { maskUrls } from './mask-urls.ts'

export type { Logger } from 'pino'

export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

export interface LoggerOptions {
  /** Which program writes. */
  name: string
  level: LogLevel
  /** Where lines go; default: standard output. A program whose output is its answer logs to standard error. */
  to?: 'stdout' | 'stderr'
}

/** Structured log lines: one JSON object a line, no secrets in it. */
export function createLogger({ name, level, to = 'stdout' }: LoggerOptions): Logger {
  const options: pino.LoggerOptions = {
    level,
    // Process id and host name say nothing that the name and the log collector don't.
    base: { name },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    redact: ['password', '*.password', 'req.headers.authorization', 'req.headers.cookie'],
    hooks: { streamWrite: maskUrls },
  }
  // Written at once: lines of a process that ends would else be lost or change places.
  return pino(options, pino.destination({ dest: to === 'stdout' ? 1 : 2, sync: true }))
}
