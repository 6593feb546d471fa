import { once } from 'node:events'
import { connect as connectSocket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { SECOND } from '@dexfeed/dex'
import type { PoolClient, QueryArrayConfig } from 'pg'
import type { Prisma } from '../generated/client.ts'
import type { Database } from './database.ts'
import { statementNames } from './statement-names.ts'
import { type Db, inTransaction } from './transaction.ts'

// Past Prisma: a day's list of swaps is read here, page by page, as the caller consumes it. Prisma converts value by
// value: 20,000 rows take 115 to 160 ms, while this needs a third of the CPU time. Nor can Prisma cancel a statement
// when the caller has left.

/** Magic number of a CancelRequest message (PostgreSQL protocol, message formats). */
const CANCEL_REQUEST = 80_877_102
const WAIT_MS = SECOND
const AGAIN_MS = 100

export type TextRow = readonly (string | null)[]

/**
 * Runs `work` with all of its statements, Prisma's too, in the same snapshot. When `signal` aborts, the running
 * statement is cancelled, the connection is closed, and the signal's reason is thrown.
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
        cancel = () => void abandonSession(client)
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

/** Fields that `pg` keeps of a session but does not declare. */
interface Session {
  host?: string
  port?: number
  processID: number | null
  secretKey: number | null
  end(): Promise<void>
}

/**
 * Ends the session of `client` together with a statement that it may be executing. A CancelRequest needs no privilege,
 * unlike pg_cancel_backend, which a session under another role may not call. It has no effect between two statements.
 * So no further statement is sent, and the request is repeated for a statement that was on its way. Never throws.
 */
async function abandonSession(client: PoolClient): Promise<void> {
  const session = client as unknown as Session
  const cancelled = cancelRequest(session)
  // If a statement is running, this drops the connection immediately.
  session.end().catch(() => undefined)
  await cancelled
  await delay(AGAIN_MS, undefined, { ref: false })
  await cancelRequest(session)
}

async function cancelRequest({ host, port, processID, secretKey }: Session): Promise<void> {
  if (host === undefined || typeof processID !== 'number' || typeof secretKey !== 'number') return
  const message = Buffer.alloc(16)
  message.writeInt32BE(16, 0)
  message.writeInt32BE(CANCEL_REQUEST, 4)
  message.writeInt32BE(processID, 8)
  message.writeInt32BE(secretKey, 12)
  const socket = host.startsWith('/') ? connectSocket(`${host}/.s.PGSQL.${port}`) : connectSocket(port ?? 5432, host)
  socket.on('error', () => socket.destroy())
  socket.setTimeout(WAIT_MS, () => socket.destroy())
  // The server closes the connection once it has received the request.
  socket.write(message)
  socket.resume()
  await once(socket, 'close').catch(() => undefined)
}
