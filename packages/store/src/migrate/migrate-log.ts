/** The part of a pino logger that migrations use. */
export interface MigrateLog {
  info(object: object, message: string): void
  warn(object: object, message: string): void
}
