import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { openQueue } from '@dexfeed/indexer/queue'
import { createLogger, isProcessAlive, startEmbeddedPostgres, stopAbandonedPostgres } from '@dexfeed/service'
import { migrate } from '@dexfeed/store'
import { TEMPLATE, withDatabase } from '@dexfeed/test-setup/database-url'
import { Client } from 'pg'
import type { TestProject } from 'vitest/node'

const PREFIX = 'dexfeed-test-'
/** Databases in memory take a third less system time. */
const MEMORY = '/dev/shm'
const LEAST_FREE_BYTES = 4 * 1024 ** 3

/** Starts one temporary Postgres for the whole run, with a migrated database that tests clone. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  await removeAbandoned()
  const folder = mkdtempSync(join(roomyFolder(), PREFIX))
  // Postgres may run as another user, who needs access.
  chmodSync(folder, 0o755)
  writeFileSync(join(folder, 'owner'), String(process.pid))
  const log = createLogger({ name: 'test', level: 'warn' })
  const postgres = await startEmbeddedPostgres({ home: join(folder, 'postgres'), durable: false, log })
  const stop = async () => {
    await postgres.release()
    for (const path of [postgres.home, folder]) rmSync(path, { recursive: true, force: true })
  }
  try {
    await makeTemplate(postgres)
  } catch (error) {
    await stop()
    throw error
  }
  project.provide('postgresUrl', postgres.url)
  return stop
}

function roomyFolder(): string {
  if (!existsSync(MEMORY)) return tmpdir()
  const { bavail, bsize } = statfsSync(MEMORY)
  return bavail * bsize >= LEAST_FREE_BYTES ? MEMORY : tmpdir()
}

async function makeTemplate({ url, home }: { url: string; home: string }): Promise<void> {
  const owner = new Client({ connectionString: url })
  await owner.connect()
  await owner.query(`CREATE DATABASE ${TEMPLATE}`)
  await owner.query('ALTER SYSTEM SET autovacuum = off')
  // With SCRAM's default of 4,096 iterations, logging in takes a tenth of the scenarios' time.
  await owner.query(`SET scram_iterations = 1; ALTER ROLE CURRENT_USER PASSWORD '${new URL(url).password}'`)
  writeFileSync(join(home, 'data', 'pg_hba.conf'), 'host all,replication all 127.0.0.1/32 password\n')
  await owner.query('SELECT pg_reload_conf()')
  await owner.end()
  const [databaseUrl, log] = [withDatabase(url, TEMPLATE), createLogger({ name: 'test', level: 'warn' })]
  await migrate(databaseUrl, { log })
  // Otherwise each indexer would create the queue's schema, which is a third of its load on the database.
  const queue = await openQueue({ redisUrl: null, databaseUrl }, 'eth', log)
  await queue.close()
}

async function removeAbandoned(): Promise<void> {
  const folders = [tmpdir(), ...(existsSync(MEMORY) ? [MEMORY] : [])]
  for (const folder of folders.flatMap((place) => readdirSync(place).map((name) => join(place, name)))) {
    const owner = join(folder, 'owner')
    if (
      !basename(folder).startsWith(PREFIX) ||
      !existsSync(owner) ||
      isProcessAlive(Number(readFileSync(owner, 'utf8')))
    )
      continue
    const home = await stopAbandonedPostgres(join(folder, 'postgres'), createLogger({ name: 'test', level: 'warn' }))
    for (const path of [home, folder]) rmSync(path, { recursive: true, force: true })
  }
}
