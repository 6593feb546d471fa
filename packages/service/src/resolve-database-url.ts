import { join } from 'node:path'
import { startEmbeddedPostgres } from './embedded-postgres/embedded-postgres.ts'
import type { Logger } from './logger.ts'
import { projectRoot } from './project-root.ts'

export interface ResolvedDatabase {
  url: string
  release(): Promise<void>
}

/** Returns the configured database, or the embedded Postgres in `.data`. */
export async function resolveDatabaseUrl(
  settings: { databaseUrl: string | null },
  { log }: { log: Logger },
): Promise<ResolvedDatabase> {
  if (settings.databaseUrl !== null) return { url: settings.databaseUrl, release: async () => {} }
  const home = join(projectRoot(), '.data', 'postgres')
  log.info({ home }, 'opening the embedded Postgres')
  return startEmbeddedPostgres({ home, log })
}
