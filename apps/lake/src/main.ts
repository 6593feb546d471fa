import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { MINUTE } from '@dexfeed/dex'
import {
  assertPortsFree,
  checkLakeEnvironment,
  type LakeSettings,
  lowerPriority,
  type ProgramContext,
  projectRoot,
  resolveDatabaseUrl,
  runProgram,
  serveMetrics,
} from '@dexfeed/service'
import { assertMigrated, openDatabase, openLakeStore, PATIENCE } from '@dexfeed/store'
import { collectDefaultMetrics, Registry } from 'prom-client'
import { checkLake, damagedFiles } from './check-lake.ts'
import { lakeMetrics } from './lake-metrics.ts'
import type { ObjectStore } from './objects/object-store.ts'
import { openLake } from './objects/open-lake.ts'
import { openLakeReads } from './reading/lake-reads.ts'
import { serveRows } from './reading/serve-rows.ts'
import { writeLake } from './write-lake.ts'

/** DuckDB stops reading rows while it sorts them. */
const READING_PATIENCE = { ...PATIENCE, silentMs: 5 * MINUTE }
/** The same as of history: heads come first. */
const NICENESS = 10

runProgram('lake', checkLakeEnvironment, process.argv.includes('--check') ? check : start)

async function check({ settings, log, shutdown }: ProgramContext<LakeSettings>): Promise<void> {
  const { objects, close } = openLake(settings.lake, shutdown.signal)
  shutdown.add('lake', close)
  try {
    await checkLake(objects)
    log.info('the lake can be written, read, listed and deleted from')
    const damaged = process.argv.includes('--files') ? await damagedFiles(objects, shutdown.signal) : []
    for (const file of damaged) log.error({ file }, 'a file is not what its manifest says')
    shutdown.begin('checked', damaged.length > 0 ? 1 : 0)
  } catch (error) {
    log.fatal({ err: error }, 'the lake cannot be used')
    shutdown.begin('the lake cannot be used', 1)
  }
}

async function start(context: ProgramContext<LakeSettings>): Promise<void> {
  const { settings, log, shutdown } = context
  const { host, metricsPort, readPort } = settings
  await assertPortsFree([
    { variable: 'METRICS_PORT', host, port: metricsPort },
    { variable: 'LAKE_READ_PORT', host, port: readPort },
  ])
  const { url, release } = await resolveDatabaseUrl(settings, { log })
  shutdown.add('database server', release)
  const database = await openDatabase(url, { applicationName: 'dexfeed-lake', max: 4, patience: READING_PATIENCE })
  shutdown.add('database', () => database.close())
  await assertMigrated(database)
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const metrics = await serveMetrics({ registry, host, port: metricsPort })
  if (metrics !== null) shutdown.add('metrics', () => metrics.close())
  const lake = openLake(settings.lake, shutdown.signal)
  const { objects, work, clearOthers, close } = lake
  shutdown.add('lake', close)
  if (readPort !== null) await answerReads(context, lake, readPort)
  const { version } = JSON.parse(readFileSync(join(projectRoot(), 'package.json'), 'utf8')) as { version: string }
  lowerPriority(NICENESS)
  const writer = {
    store: openLakeStore(database),
    objects,
    work,
    clearOthers,
    codeVersion: version,
    log,
    reports: lakeMetrics(registry),
  }
  const writing = writeLake(writer, shutdown.signal)
  shutdown.add('writer', () => writing)
  log.info({ lake: 'bucket' in settings.lake ? settings.lake.bucket : settings.lake.folder }, 'writing complete days')
}

async function answerReads(
  { settings, log, shutdown }: ProgramContext<LakeSettings>,
  { objects, reading }: { objects: ObjectStore; reading: string },
  port: number,
): Promise<void> {
  const reads = openLakeReads(objects, settings.lake, reading)
  shutdown.add('DuckDB', () => reads.close())
  const server = await serveRows({ reads, log, host: settings.host, port })
  shutdown.add('reads', () => server.close())
  log.info({ url: server.url }, 'answering the API')
}
