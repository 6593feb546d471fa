import { KeptClient, type Patience, watchedPoolConfig } from '@dexfeed/store'
import { type ConnectionOptions, createPostgresBackend } from 'bullmq'

const SCHEMA = 'dexfeed_queue'
const CONNECTIONS = 3

/** The settings of BullMQ's connections to a database: they are watched as those of the store are. */
export function postgresConnection(databaseUrl: string, patience: Patience): ConnectionOptions {
  // It bounds also how long a free connection is waited for: until one that fell silent is lost, and then some.
  const connectTimeoutMs = 2 * (patience.silentMs + patience.answerMs)
  const settings = { applicationName: 'dexfeed-queue', connectTimeoutMs, patience }
  // Without `migrate` a worker on an empty database would spin until memory is exhausted.
  const own = { migrate: true, schema: SCHEMA, max: CONNECTIONS }
  // BullMQ's types know the connections to Redis alone.
  return { ...watchedPoolConfig(databaseUrl, settings), ...own } as ConnectionOptions
}

/** What BullMQ makes its connection from that listens; the settings cannot name another class for it. */
interface ListeningMadeFrom {
  pgModule: { Client: unknown }
}

/** BullMQ's own, but for the connection that listens: it is asked for signs of life. */
export const postgresBackend: typeof createPostgresBackend = (...args) => {
  const backend = createPostgresBackend(...args)
  const connection = backend.connection as unknown as ListeningMadeFrom
  connection.pgModule = { ...connection.pgModule, Client: KeptClient }
  return backend
}
