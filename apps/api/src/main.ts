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
  runProgram,
  serveMetrics,
} from '@dexfeed/service'
import { openReader, READER_ROLE } from '@dexfeed/store'
import { Registry } from 'prom-client'
import { lakeClient } from './lake-client.ts'
import { openReaderDatabase } from './open-reader-database.ts'
import { startApi } from './start-api.ts'

const STATEMENT_MS = 5 * SECOND
const CONNECTIONS = 12
/** When CPU time is scarce, the heads get three times the API's share, and the API three times that of history. */
const NICENESS = 5

runProgram('api', checkApiEnvironment, start)

async function start(context: ProgramContext<ApiSettings>): Promise<void> {
  const { settings, log, shutdown } = context
  const { host, port, metricsPort } = settings
  await assertPortsFree([
    { variable: 'PORT', host, port },
    { variable: 'METRICS_PORT', host, port: metricsPort },
  ])
  const limits = { statementTimeoutMs: STATEMENT_MS, max: CONNECTIONS }
  const database = await openReaderDatabase(context, { applicationName: 'dexfeed-api', ...limits })
  if (settings.apiDatabaseUrl === null && database.role === null) {
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
  const { lakeReadUrl } = settings
  const reader = openReader(database, {
    idlePoolS: settings.idlePoolDays * DAY_S,
    ...(lakeReadUrl !== null && { lake: lakeClient(lakeReadUrl) }),
  })
  const api = await startApi({ ...settings, listCacheDir, webDir, reader, log, registry })
  shutdown.add('api', () => api.stop())
  // Only now, so that start-up is not slowed down.
  void api.loaded.then(() => lowerPriority(NICENESS))
  log.info({ url: api.url }, 'listening')
}
