import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { PoolClient } from 'pg'

/** Magic number of a CancelRequest message (PostgreSQL protocol, message formats). */
const CANCEL_REQUEST = 80_877_102
const WAIT_MS = 1_000
const AGAIN_MS = 100

/** What `pg` keeps of a session but does not declare. */
interface Session {
  host?: string
  port?: number
  processID: number | null
  secretKey: number | null
  end(): Promise<void>
}

/**
 * Ends the session of `client` together with the statement that it may be executing. A CancelRequest needs no right in
 * the database, unlike pg_cancel_backend, which a session under another role may not call. It has no effect between two
 * statements: so no further one is sent, and it is repeated for one that was on its way. Never throws.
 */
export async function abandonSession(client: PoolClient): Promise<void> {
  const session = client as unknown as Session
  const cancelled = cancelRequest(session)
  // With a statement under way this drops the connection at once.
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
  const socket = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port ?? 5432, host)
  socket.on('error', () => socket.destroy())
  socket.setTimeout(WAIT_MS, () => socket.destroy())
  // The server closes the connection once it has taken the request in.
  socket.write(message)
  socket.resume()
  await once(socket, 'close').catch(() => undefined)
}
