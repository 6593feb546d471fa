import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLogger, type Shutdown, startEmbeddedPostgres } from '@dexfeed/service'
import { migrate } from '@dexfeed/store'
import { Client } from 'pg'
import { cpuOf } from './process-usage.ts'

const STOP_MS = 60_000
const TEMPLATE = 'migrated'

/** A temporary Postgres. */
export interface BenchDatabase {
  folder: string
  create(name: string, options: { migrated: boolean }): Promise<string>
  /** Runs a checkpoint, so that no measurement pays for earlier writes. */
  settle(): Promise<void>
  pid: number
  cpuSeconds(): number
}

/** Starts a Postgres that by default is as durable as that of `npm start`. */
export async function startBenchDatabase(shutdown: Shutdown, { durable = true } = {}): Promise<BenchDatabase> {
  const folder = mkdtempSync(join(tmpdir(), 'dexfeed-bench-'))
  // Postgres may run as another user, who needs access.
  chmodSync(folder, 0o755)
  shutdown.add('folder', () => rmSync(folder, { recursive: true, force: true }))
  const log = createLogger({ name: 'bench', level: 'warn', to: process.stderr })
  const postgres = await startEmbeddedPostgres({ home: join(folder, 'postgres'), durable, log })
  const close = async () => {
    await postgres.release()
    rmSync(postgres.home, { recursive: true, force: true })
  }
  shutdown.add('database server', close, STOP_MS)
  let hasTemplate = false
  const urlOf = (name: string) => {
    const url = new URL(postgres.url)
    url.pathname = `/${name}`
    return url.href
  }
  const run = (statement: string) => withClient(postgres.url, shutdown, (owner) => owner.query(statement))
  return {
    folder,
    async create(name, { migrated }) {
      if (migrated && !hasTemplate) {
        await run(`CREATE DATABASE ${TEMPLATE}`)
        await migrate(urlOf(TEMPLATE), { log })
        hasTemplate = true
      }
      await run(`CREATE DATABASE ${name}${migrated ? ` TEMPLATE ${TEMPLATE}` : ''}`)
      return urlOf(name)
    },
    async settle() {
      await run('CHECKPOINT')
    },
    pid: postgres.pid,
    cpuSeconds: () => cpuOf(postgres.pid),
  }
}

export async function withClient<T>(
  url: string,
  { signal }: Pick<Shutdown, 'signal'>,
  use: (client: Client) => Promise<T>,
): Promise<T> {
  const client = new Client({ connectionString: url })
  client.on('error', () => undefined)
  const cut = () => void client.end()
  signal.throwIfAborted()
  signal.addEventListener('abort', cut)
  try {
    await client.connect()
    return await use(client)
  } finally {
    signal.removeEventListener('abort', cut)
    await client.end()
  }
}
