import { join } from 'node:path'
import { type Logger, projectRoot, type Shutdown, startEmbeddedPostgres } from '@dexfeed/service'
import { migrate, openDatabase } from '@dexfeed/store'

const DATABASE = 'dexfeed_demo'
/** Advisory lock against a second demo. */
const LOCK = [0x6466_00de, 0] as const

/**
 * Creates a database next to the one of `npm start`. It starts empty, because the chains are new every time.
 * @throws Error if another demo is running
 */
export async function openDemoDatabase({ log, shutdown }: { log: Logger; shutdown: Shutdown }): Promise<string> {
  const postgres = await startEmbeddedPostgres({ home: join(projectRoot(), '.data', 'postgres'), log })
  shutdown.add('database server', () => postgres.release())
  const owner = await openDatabase(postgres.url, { applicationName: 'dexfeed-demo', max: 1 })
  shutdown.add('demo lock', () => owner.close())
  const lock = await owner.connect('dexfeed-demo')
  shutdown.add('demo lock', () => lock.end())
  const { rows } = await lock.query<{ taken: boolean }>('SELECT pg_try_advisory_lock($1, $2) AS taken', [...LOCK])
  if (!rows[0]?.taken) throw new Error('another demo of this clone is running: stop it first')
  await owner.pool.query(`DROP DATABASE IF EXISTS ${DATABASE} WITH (FORCE)`)
  await owner.pool.query(`CREATE DATABASE ${DATABASE}`)
  // A demo may lose data when the machine fails.
  await owner.pool.query(`ALTER DATABASE ${DATABASE} SET synchronous_commit = off`)
  const url = new URL(postgres.url)
  url.pathname = `/${DATABASE}`
  await migrate(url.href, { log })
  return url.href
}
