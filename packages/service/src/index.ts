export {
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
  startEmbeddedPostgres,
  stopAbandonedPostgres,
} from './embedded-postgres/embedded-postgres.ts'
export { createLogger, type Logger, type LoggerOptions } from './logger.ts'
export { isProcessAlive } from './process-alive.ts'
