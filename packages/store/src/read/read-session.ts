import type { Pool, PoolClient, QueryArrayConfig } from 'pg'
import { asStoreError } from '../as-store-error.ts'
import { abandonSession } from './abandon-session.ts'

/** Column values as Postgres writes them. */
export type TextRow = readonly (string | null)[]

/**
 * Runs `work` with a connection of its own. When `signal` aborts, the running statement is cancelled, the connection
 * given up, and the signal's reason thrown.
 *
 * @throws StoreError, retryable when the database is out of reach, out of connections or too slow
 */
export async function withClient<T>(
  pool: Pool,
  signal: AbortSignal | undefined,
  work: (client: PoolClient) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted()
  const client = await connect(pool)
  const cancel = () => void abandonSession(client)
  // A connection that dies rejects its statement and says so here once more.
  client.on('error', ignore)
  signal?.addEventListener('abort', cancel, { once: true })
  let failed = true
  try {
    signal?.throwIfAborted()
    const result = await work(client)
    failed = false
    return result
  } catch (error) {
    throw signal?.aborted ? signal.reason : asStoreError(error)
  } finally {
    signal?.removeEventListener('abort', cancel)
    client.removeListener('error', ignore)
    client.release(failed || signal?.aborted === true)
  }
}

/** As `withClient`, with all statements of `work` seeing the same snapshot. */
export async function withSnapshot<T>(
  pool: Pool,
  signal: AbortSignal | undefined,
  work: (client: PoolClient) => Promise<T>,
): Promise<T> {
  return withClient(pool, signal, async (client) => {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
    // A failure needs no rollback: the connection is given up with it.
    const result = await work(client)
    await client.query('COMMIT')
    return result
  })
}

/** Rows as arrays of text: the fastest form, and numerics stay exact. */
export async function textRows(client: PoolClient, text: string, values: readonly unknown[]): Promise<TextRow[]> {
  const query: QueryArrayConfig = { text, values: [...values], rowMode: 'array', types: AS_TEXT }
  return (await client.query<(string | null)[]>(query)).rows
}

const AS_TEXT = { getTypeParser: () => (value: string) => value } as NonNullable<QueryArrayConfig['types']>

async function connect(pool: Pool): Promise<PoolClient> {
  try {
    return await pool.connect()
  } catch (error) {
    throw asStoreError(error)
  }
}

function ignore(): void {}
