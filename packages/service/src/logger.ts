import { type Logger, pino } from 'pino'

export type { Logger } from 'pino'

export interface LoggerOptions {
  /** Which program writes. */
  name: string
  /** fatal, error, warn, info, debug, trace or silent. */
  level: string
}

/** Structured log lines on standard output. */
export function createLogger({ name, level }: LoggerOptions): Logger {
  return pino({ name, level })
}
