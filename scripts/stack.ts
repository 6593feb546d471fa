import { join } from 'node:path'
import { type ProgramContext, projectRoot, resolveDatabaseUrl, type StackSettings, supervise } from '@dexfeed/service'
import { migrate } from '@dexfeed/store'

/** Two programs that are killed when they take too long, and then some. */
const PROGRAMS_GRACE_MS = 40_000
/** Of Node, for the API: requests under way on hundreds of connections find room in the young generation. */
const API_OPTIONS = ['--max-semi-space-size=32']
/** Postgres writes everything to its data files before it ends. */
const DATABASE_GRACE_MS = 60_000

export interface StackOptions extends Pick<ProgramContext<StackSettings>, 'settings' | 'log' | 'shutdown'> {
  /** Laid over our own environment for indexer and API. */
  env?: Readonly<Record<string, string>>
}

/**
 * Brings the database up to date and runs indexer and API as processes of their own. `shutdown` stops the API, the
 * indexer and then the embedded Postgres, if it is that. A program that ends by itself ends everything.
 */
export async function startStack(options: StackOptions): Promise<void> {
  const { settings, log, shutdown, env = {} } = options
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
      execArgv: API_OPTIONS,
    },
  ]
  const supervisor = supervise({ programs, log })
  shutdown.add('programs', () => supervisor.stop(), PROGRAMS_GRACE_MS)
  void supervisor.ended.then(({ name, exitCode }) => shutdown.begin(`${name} ended`, exitCode || 1))
}

/** Our own environment with other values for some variables, which may not be given as files then. */
function overlay(values: Readonly<Record<string, string>>): Record<string, string | undefined> {
  const files = Object.keys(values).map((name) => [`${name}_FILE`, ''])
  return { ...process.env, ...Object.fromEntries(files), ...values }
}

/** Both programs cannot listen on one port: the API has the configured one, the indexer the next. */
function metricsOfIndexer({ metricsPort }: StackSettings): Record<string, string> {
  return metricsPort ? { METRICS_PORT: String(metricsPort + 1) } : {}
}
