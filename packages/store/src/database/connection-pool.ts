import { Pool, type PoolClient, type PoolConfig } from 'pg'
import type { Prisma } from '../generated/client.ts'
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
