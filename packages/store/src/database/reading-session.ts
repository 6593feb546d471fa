import type { Pool, PoolClient, QueryArrayConfig } from 'pg'
import { Prisma } from '../generated/client.ts'
import { asStoreError } from '../store-error.ts'
import type { ConnectionPool, Database } from './database.ts'
import { READER_LIFE_MS } from './session-settings.ts'
import { statementNames } from './statement-names.ts'
import { type Db, inTransaction, type Reads } from './transaction.ts'
import type { WatchedClient } from './watched-client.ts'

// Bypasses Prisma to read the list of swaps in a third of its CPU time (115 to 160 ms for 20,000 rows), to read single
// prepared statements, and to cancel a statement when the caller has left.

export type TextRow = readonly (string | null)[]

/**
 * Runs `work` in one snapshot. If `signal` aborts, ends the session with its running statement and throws the signal's
 * reason. Throws a StoreError, retryable if the database is unreachable, out of connections or too slow.
 */
export async function withSnapshot<T>(
  database: Database,
  signal: AbortSignal | undefined,
  work: (tx: Db, client: PoolClient) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted()
  let cancel: (() => void) | undefined
  try {
    return await inTransaction(
      database,
      async (tx) => {
        const client = await database.pool.connectionOf(tx)
        cancel = () => endSession(database.pool, client)
        signal?.addEventListener('abort', cancel, { once: true })
        signal?.throwIfAborted()
        return work(tx, client)
      },
      'RepeatableRead',
    )
  } catch (error) {
    throw signal?.aborted ? signal.reason : error
  } finally {
    if (cancel) signal?.removeEventListener('abort', cancel)
  }
}

/** The texts of searches change with the day, so their names do not last longer than the connections that keep plans. */
const searchNameOf = statementNames('dexfeed_search', 24, READER_LIFE_MS)
const nameOf = statementNames('dexfeed_read', 48)

/**
 * Returns reads without a transaction: each statement is its own snapshot, and each connection plans it once. If
 * `signal` aborts, the session ends with its running statement, and the signal's reason is thrown.
 *
 * @throws StoreError, retryable when the database is out of reach, out of connections or too slow
 */
export function preparedReads(database: { pool: ConnectionPool }, signal?: AbortSignal): Reads {
  return readsOf(database, signal, nameOf)
}

/** Returns reads for searches. Their texts are many, so only the plans of usual ones are kept. */
export function searchReads(database: { pool: ConnectionPool }, isUsual: boolean, signal?: AbortSignal): Reads {
  return readsOf(database, signal, isUsual ? searchNameOf : () => '')
}

function readsOf(
  { pool }: { pool: ConnectionPool },
  signal: AbortSignal | undefined,
  name: (text: string) => string,
): Reads {
  const read = async ({ text, values }: Prisma.Sql) => {
    signal?.throwIfAborted()
    let client: PoolClient | undefined
    const cancel = () => client && endSession(pool, client)
    try {
      client = await pool.connect()
      signal?.throwIfAborted()
      signal?.addEventListener('abort', cancel, { once: true })
      return (await client.query({ name: name(text), text, values })).rows
    } catch (error) {
      throw signal?.aborted ? signal.reason : asStoreError(error)
    } finally {
      signal?.removeEventListener('abort', cancel)
      client?.release()
    }
  }
  const $queryRaw = (query: TemplateStringsArray, ...values: unknown[]) => read(Prisma.sql(query, ...values))
  return { $queryRaw: $queryRaw as Reads['$queryRaw'] }
}

/** Returns rows as arrays of text, which is fastest and keeps numerics exact. */
export async function textRows(client: PoolClient, { text, values }: Prisma.Sql): Promise<TextRow[]> {
  const query: QueryArrayConfig = { text, values, rowMode: 'array', types: AS_TEXT }
  return (await client.query<(string | null)[]>(query)).rows
}

const AS_TEXT = { getTypeParser: () => (value: string) => value } as NonNullable<QueryArrayConfig['types']>

function endSession(pool: Pool, client: PoolClient): void {
  const session = client as PoolClient & WatchedClient
  // The API's sessions run under a role that may not end sessions of its user.
  pool.query(`SET LOCAL ROLE NONE; SELECT pg_terminate_backend(${session.backend})`).catch(() => undefined)
  session.end().catch(() => undefined)
}
