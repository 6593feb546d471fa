import { join } from 'node:path'
import { startEmbeddedPostgres } from './embedded-postgres/embedded-postgres.ts'
import type { Logger } from './logger.ts'
import { projectRoot } from './project-root.ts'

export interface ResolvedDatabase {
  url: string
  release(): Promise<void>
}

export async function resolveDatabaseUrl(
  settings: { databaseUrl: string | null },
  { log }: { log: Logger },
): Promise<ResolvedDatabase> {
  if (settings.databaseUrl !== null) return { url: settings.databaseUrl, release: async () => {} }
  const home = join(projectRoot(), '.data', 'postgres')
  log.info({ home }, 'opening the embedded Postgres')
  return startEmbeddedPostgres({ home, log })
}
