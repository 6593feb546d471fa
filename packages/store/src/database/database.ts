import { SECOND } from '@dexfeed/dex'
import { PrismaPg } from '@prisma/adapter-pg'
import { type Client, Pool, type PoolClient, type PoolConfig } from 'pg'
import { type Prisma, PrismaClient } from '../generated/client.ts'
import { codeOf, DatabaseUnreachable } from '../store-error.ts'
import { type ConnectionSettings, connectionConfig, connectionTarget, watchedConfig } from './connection-config.ts'
import { KeepAliveClient } from './keep-alive-client.ts'
import { READER_LIFE_MS } from './session-settings.ts'
import { statementNames } from './statement-names.ts'
import { WatchedClient, type WatchedConfig } from './watched-client.ts'

/** Knows the connection of each Prisma transaction, so that COPY can join the transaction. */
export class ConnectionPool extends Pool {
  readonly #connections = new Map<number, PoolClient>()

  constructor(config: WatchedConfig & PoolConfig) {
    const onConnect: PoolConfig['onConnect'] = (connection) => this.#register(connection as WatchedClient & PoolClient)
    super({ ...config, Client: WatchedClient, onConnect })
    this.on('remove', (gone) => {
      for (const [backend, connection] of this.#connections) if (connection === gone) this.#connections.delete(backend)
    })
  }

  async connectionOf(tx: Prisma.TransactionClient): Promise<PoolClient> {
    const [row] = await tx.$queryRaw<{ backend: number }[]>`SELECT pg_backend_pid() AS backend`
    const connection = row && this.#connections.get(row.backend)
    if (connection === undefined) throw new Error('the transaction runs on a connection of another pool')
    return connection
  }

  async #register(connection: WatchedClient & PoolClient): Promise<void> {
    this.#connections.set(await connection.readBackend(), connection)
  }
}

/** The role does not exist, or the user may not use it. */
const ROLE_REFUSED = new Set(['22023', '42501', '42704'])

const MAX_NAMES = 500

export interface DatabaseOptions extends ConnectionSettings {
  max?: number
}

export interface Database {
  readonly pool: ConnectionPool
  readonly prisma: PrismaClient
  /** Null for the URL's own user, which is also used if the requested role is not available. */
  readonly role: string | null
  /** Opens a connection outside the pool, for session locks. The caller ends it. */
  connect(applicationName: string, sessionOptions?: string): Promise<Client>
  hold(applicationName: string, sessionOptions?: string): Promise<Client>
  close(): Promise<void>
}

/** Ignores a `role` that the user cannot use (see `Database.role`). Throws DatabaseUnreachable within 4 seconds. */
export async function openDatabase(url: string, options: DatabaseOptions): Promise<Database> {
  const role = await availableRole(url, options)
  const config = watchedConfig(url, { ...options, role })
  const maxLifetimeSeconds = options.readOnly ? READER_LIFE_MS / SECOND : 0
  const pool = new ConnectionPool({ ...config, max: options.max ?? 10, maxLifetimeSeconds })
  // The pool replaces a dead idle connection; without a listener the process would exit.
  pool.on('error', () => {})
  const nameOf = statementNames('dexfeed', MAX_NAMES)
  const adapter = new PrismaPg(pool, { statementNameGenerator: ({ sql }) => nameOf(sql) })
  // By default, each call records its source location, and errors quote source lines.
  const prisma = new PrismaClient({ adapter, errorFormat: 'minimal' })
  const named = (applicationName: string, sessionOptions: string) => {
    return { ...config, application_name: applicationName, options: `${config.options} ${sessionOptions}` }
  }
  return {
    pool,
    prisma,
    role,
    async connect(applicationName, sessionOptions = '') {
      const client = new WatchedClient(named(applicationName, sessionOptions))
      await client.connect()
      await client.readBackend()
      return client
    },
    async hold(applicationName, sessionOptions = '') {
      const client = new KeepAliveClient(named(applicationName, sessionOptions))
      await client.connect()
      return client
    },
    async close() {
      await prisma.$disconnect()
      await pool.end()
    },
  }
}

async function availableRole(url: string, options: DatabaseOptions): Promise<string | null> {
  try {
    await tryConnection(url, options)
    return options.role ?? null
  } catch (error) {
    if (!options.role || !ROLE_REFUSED.has(codeOf(error) ?? '')) throw unreachable(url, options, error)
  }
  try {
    await tryConnection(url, { ...options, role: null })
    return null
  } catch (error) {
    throw unreachable(url, options, error)
  }
}

async function tryConnection(url: string, settings: ConnectionSettings): Promise<void> {
  const client = new WatchedClient(connectionConfig(url, settings))
  try {
    await client.connect()
  } finally {
    await client.end().catch(() => {})
  }
}

function unreachable(url: string, settings: ConnectionSettings, error: unknown): DatabaseUnreachable {
  const target = connectionTarget(connectionConfig(url, settings))
  const first = error instanceof AggregateError ? error.errors[0] : error
  const reason = first instanceof Error ? first.message : String(first)
  return new DatabaseUnreachable(target, reason, error)
}
