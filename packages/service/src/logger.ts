import { type Logger, pino } from 'pino'
import { maskUrls } from './mask-urls.ts'

export type { Logger } from 'pino'

export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

export interface LoggerOptions {
  /** The program that writes. */
  name: string
  level: LogLevel
  /** Default: standard output. A program whose output is its result logs to standard error. */
  to?: NodeJS.WritableStream & { fd?: number }
}

/** Returns a logger of structured lines: one JSON object per line, without secrets. */
export function createLogger({ name, level, to = process.stdout }: LoggerOptions): Logger {
  const options: pino.LoggerOptions = {
    level,
    // Process id and host name add nothing to the name and the log collector.
    base: { name },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    redact: ['password', '*.password', 'req.headers.authorization', 'req.headers.cookie'],
    hooks: { streamWrite: maskUrls },
  }
  // Written synchronously. Otherwise the lines of an ending process could be lost or change places.
  return pino(options, to.fd === undefined ? to : pino.destination({ dest: to.fd, sync: true }))
}
