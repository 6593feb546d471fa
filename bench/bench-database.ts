import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLogger, startEmbeddedPostgres } from '@dexfeed/service'
import { migrate } from '@dexfeed/store'
import { Client } from 'pg'
import { cpuOf } from './process-usage.ts'

/** A throw-away Postgres with the settings of `npm start`, durable ones included. */
export interface BenchDatabase {
  /** A folder for files of the run. */
  folder: string
  /** Makes an empty database and gives its URL; `migrated` with the tables of dexfeed. */
  create(name: string, options: { migrated: boolean }): Promise<string>
  /** Writes what is dirty, so that one measurement does not pay for another. */
  settle(): Promise<void>
  /** CPU seconds of the server so far. */
  cpuSeconds(): number
  stop(): Promise<void>
}

export async function startBenchDatabase(): Promise<BenchDatabase> {
  const folder = mkdtempSync(join(tmpdir(), 'dexfeed-bench-'))
  // The account of Postgres must enter it.
  chmodSync(folder, 0o755)
  const log = createLogger({ name: 'bench', level: 'warn' })
  const postgres = await startEmbeddedPostgres({ home: join(folder, 'postgres'), log })
  const owner = new Client({ connectionString: postgres.url })
  await owner.connect()
  return {
    folder,
    async create(name, { migrated }) {
      await owner.query(`CREATE DATABASE ${name}`)
      const url = new URL(postgres.url)
      url.pathname = `/${name}`
      if (migrated) await migrate(url.href, { log })
      return url.href
    },
    async settle() {
      await owner.query('CHECKPOINT')
    },
    cpuSeconds: () => cpuOf(postgres.pid),
    async stop() {
      await owner.end()
      await postgres.release()
      for (const path of [postgres.home, folder]) rmSync(path, { recursive: true, force: true })
    },
  }
}
