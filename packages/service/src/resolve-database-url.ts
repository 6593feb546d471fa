import { join } from 'node:path'
import { startEmbeddedPostgres } from './embedded-postgres/embedded-postgres.ts'
import type { Logger } from './logger.ts'
import { projectRoot } from './project-root.ts'

export interface ResolvedDatabase {
  url: string
  /** Leaves the embedded Postgres, if it is that. */
  release(): Promise<void>
}

export interface ResolveOptions {
  log: Logger
  /** Folder of the embedded Postgres; by default `.data/postgres` of the project. */
  home?: string
  /** False: fast writes for throw-away data. */
  durable?: boolean
}

/** The configured database, or the embedded Postgres where none is configured. */
export async function resolveDatabaseUrl(
  settings: { databaseUrl: string | null },
  { log, home, durable }: ResolveOptions,
): Promise<ResolvedDatabase> {
  if (settings.databaseUrl !== null) return { url: settings.databaseUrl, release: async () => {} }
  return startEmbeddedPostgres({
    home: home ?? join(projectRoot(), '.data', 'postgres'),
    durable: durable ?? true,
    log,
  })
}
