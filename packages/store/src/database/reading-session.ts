import type { Pool, PoolClient, QueryArrayConfig } from 'pg'
import type { Prisma } from '../generated/client.ts'
import type { Database } from './database.ts'
import { statementNames } from './statement-names.ts'
import { type Db, inTransaction } from './transaction.ts'
import type { WatchedClient } from './watched-client.ts'

// Past Prisma: a day's list of swaps is read here, page by page, as the caller consumes it. Prisma converts value by
// value: 20,000 rows take 115 to 160 ms, while this needs a third of the CPU time. Nor can Prisma cancel a statement
// when the caller has left.

export type TextRow = readonly (string | null)[]

/**
 * Runs `work` with all of its statements, Prisma's too, in the same snapshot. When `signal` aborts, the session ends
 * with the statement that it may be running, and the signal's reason is thrown.
 *
 * @throws StoreError, retryable when the database is out of reach, out of connections or too slow
 */
export async function withSnapshot<T>(
  database: Pick<Database, 'pool' | 'prisma'>,
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

/** Clients choose the filters of a search, and so its text. They cannot make a connection keep more plans than this. */
const nameOf = statementNames('dexfeed_rows', 32)

/**
 * Returns rows as arrays of text: the fastest form, and numerics stay exact.
 *
 * @param options `prepared` for a statement whose best plan does not depend on its values: a connection plans it once
 */
export async function textRows(
  client: PoolClient,
  { text, values }: Prisma.Sql,
  { prepared = false }: { prepared?: boolean } = {},
): Promise<TextRow[]> {
  const name = prepared ? nameOf(text) : ''
  const query: QueryArrayConfig = { name, text, values, rowMode: 'array', types: AS_TEXT }
  return (await client.query<(string | null)[]>(query)).rows
}

const AS_TEXT = { getTypeParser: () => (value: string) => value } as NonNullable<QueryArrayConfig['types']>

/** Ends a session together with a statement that it may be running. Never throws. */
function endSession(pool: Pool, client: PoolClient): void {
  const session = client as PoolClient & WatchedClient
  // The API's sessions run under a role that may not end sessions of its user.
  pool.query(`SET LOCAL ROLE NONE; SELECT pg_terminate_backend(${session.backend})`).catch(() => undefined)
  // If a statement is running, this drops the connection immediately. The server alone would not notice.
  session.end().catch(() => undefined)
}
