import { type Logger, pino } from 'pino'
import { logText } from './log-text.ts'
import { maskUrls } from './mask-urls.ts'

export type { Logger } from 'pino'

export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

export const LOG_FORMATS = ['json', 'text'] as const
export type LogFormat = (typeof LOG_FORMATS)[number]

export interface LogStream extends NodeJS.WritableStream {
  fd?: number
  isTTY?: boolean
}

export interface LoggerOptions {
  name: string
  level: LogLevel
  format?: LogFormat | undefined
  to?: LogStream
}

export function createLogger({ name, level, to = process.stdout, format = formatFor(to) }: LoggerOptions): Logger {
  const isDetailed = level === 'debug' || level === 'trace'
  const options: pino.LoggerOptions = {
    level,
    base: { name },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    redact: ['password', '*.password', 'req.headers.authorization', 'req.headers.cookie'],
    serializers: { err: (error: unknown) => (isDetailed ? pino.stdSerializers.err(error as Error) : described(error)) },
    hooks: { streamWrite: format === 'text' ? (line) => logText(maskUrls(line)) : maskUrls },
  }
  // Synchronous, because otherwise the last lines of a process could be lost or reordered.
  return pino(options, to.fd === undefined ? to : pino.destination({ dest: to.fd, sync: true }))
}

export function formatFor({ isTTY }: LogStream): LogFormat {
  return isTTY === true ? 'text' : 'json'
}

function described(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const { syscall, retryable } = error as { syscall?: unknown; retryable?: unknown }
  if (syscall === undefined && retryable !== true) return pino.stdSerializers.err(error)
  return { type: error.name, message: error.message }
}
