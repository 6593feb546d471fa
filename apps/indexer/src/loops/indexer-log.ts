/** What the indexer needs of a logger (pino's shape). */
export interface IndexerLog {
  debug(values: object, message: string): void
  info(values: object, message: string): void
  warn(values: object, message: string): void
  error(values: object, message: string): void
}

/** An error's sentence. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
