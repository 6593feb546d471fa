import { join } from 'node:path'
import {
  assertPortsFree,
  type ProgramContext,
  projectRoot,
  resolveDatabaseUrl,
  type StackSettings,
  supervise,
} from '@dexfeed/service'
import { migrate } from '@dexfeed/store'

/** Longer than two programs need if they are killed one after the other. */
const PROGRAMS_GRACE_MS = 40_000
/** Postgres writes everything to disk before it ends. */
const DATABASE_GRACE_MS = 60_000

export interface StackOptions extends Pick<ProgramContext<StackSettings>, 'settings' | 'log' | 'shutdown'> {
  env?: Readonly<Record<string, string>>
}

/**
 * Migrates the database and runs indexer and API as processes. `shutdown` stops the API, then the indexer, then an
 * embedded Postgres. If a program ends, everything ends.
 */
export async function startStack(options: StackOptions): Promise<void> {
  const { settings, log, shutdown, env = {} } = options
  const { host, port, metricsPort } = settings
  await assertPortsFree([
    { variable: 'PORT', host, port },
    { variable: 'METRICS_PORT', host, port: metricsPort },
    { variable: 'METRICS_PORT, of the indexer', host, port: metricsPort && metricsPort + 1 },
  ])
  const { url, release } = await resolveDatabaseUrl(settings, { log })
  shutdown.add('database server', release, DATABASE_GRACE_MS)
  const { applied } = await migrate(url, { apiUrl: settings.apiDatabaseUrl ?? undefined, log })
  log.info({ applied }, 'the database is up to date')
  shutdown.signal.throwIfAborted()
  const apps = join(projectRoot(), 'apps')
  const programs = [
    {
      name: 'indexer',
      file: join(apps, 'indexer/dist/indexer.js'),
      env: overlay({ DATABASE_URL: url, ...metricsOfIndexer(settings), ...env }),
    },
    {
      name: 'api',
      file: join(apps, 'api/dist/api.js'),
      env: overlay({ DATABASE_URL: url, ...env }),
    },
  ]
  const supervisor = supervise({ programs, log })
  shutdown.add('programs', () => supervisor.stop(), PROGRAMS_GRACE_MS)
  void supervisor.ended.then(({ name, how, exitCode }) => shutdown.begin(`${name} ended: ${how}`, exitCode || 1))
}

/** Returns this process's environment with these values, and with their `_FILE` variables unset. */
function overlay(values: Readonly<Record<string, string>>): Record<string, string | undefined> {
  const files = Object.keys(values).map((name) => [`${name}_FILE`, ''])
  return { ...process.env, ...Object.fromEntries(files), ...values }
}

/** The API uses the configured port, the indexer the next one. */
function metricsOfIndexer({ metricsPort }: StackSettings): Record<string, string> {
  return metricsPort ? { METRICS_PORT: String(metricsPort + 1) } : {}
}
