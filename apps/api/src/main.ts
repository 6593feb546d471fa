import { join } from 'node:path'
import { DAY_S, SECOND } from '@dexfeed/dex'
import {
  type ApiSettings,
  assertPortsFree,
  checkApiEnvironment,
  diskMetrics,
  lowerPriority,
  type ProgramContext,
  projectRoot,
  resolveDatabaseUrl,
  runProgram,
  serveMetrics,
} from '@dexfeed/service'
import { assertMigrated, openDatabase, openReader, READER_ROLE } from '@dexfeed/store'
import { Registry } from 'prom-client'
import { startApi } from './start-api.ts'

const STATEMENT_MS = 5 * SECOND
const CONNECTIONS = 12
/** When CPU time is scarce, the heads get three times the API's share, and the API three times that of history. */
const NICENESS = 5

runProgram('api', checkApiEnvironment, start)

async function start({ settings, log, shutdown }: ProgramContext<ApiSettings>): Promise<void> {
  const { host, port, metricsPort } = settings
  await assertPortsFree([
    { variable: 'PORT', host, port },
    { variable: 'METRICS_PORT', host, port: metricsPort },
  ])
  const own = settings.apiDatabaseUrl
  const { url, release } = await resolveDatabaseUrl({ databaseUrl: own ?? settings.databaseUrl }, { log })
  shutdown.add('database server', release)
  const database = await openDatabase(url, {
    applicationName: 'dexfeed-api',
    role: own === null ? READER_ROLE : null,
    readOnly: true,
    statementTimeoutMs: STATEMENT_MS,
    max: CONNECTIONS,
  })
  shutdown.add('database', () => database.close())
  await assertMigrated(database)
  if (own === null && database.role === null) {
    log.warn(
      { role: READER_ROLE },
      'no read-only role in this database; reading as its owner, in read-only transactions',
    )
  }
  const registry = new Registry()
  const metricsServer = await serveMetrics({ registry, host: settings.host, port: settings.metricsPort })
  if (metricsServer !== null) shutdown.add('metrics', () => metricsServer.close())
  const listCacheDir = settings.listCacheDir ?? join(projectRoot(), '.data', 'lists')
  diskMetrics(registry, { lists: listCacheDir })
  const webDir = join(projectRoot(), 'apps', 'web', 'dist')
  const reader = openReader(database, { idlePoolS: settings.idlePoolDays * DAY_S })
  const api = await startApi({ ...settings, listCacheDir, webDir, database, reader, log, registry })
  shutdown.add('api', () => api.stop())
  // Only now, so that start-up is not slowed down.
  void api.loaded.then(() => lowerPriority(NICENESS))
  log.info({ url: api.url }, 'listening')
}
