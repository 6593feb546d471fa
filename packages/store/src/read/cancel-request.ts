import { once } from 'node:events'
import { connect } from 'node:net'
import type { PoolClient } from 'pg'

/** Magic number of a CancelRequest message (PostgreSQL protocol, message formats). */
const CANCEL_REQUEST = 80_877_102
const WAIT_MS = 1_000

/** What `pg` keeps of a session but does not declare. */
interface Session {
  host?: string
  port?: number
  processID: number | null
  secretKey: number | null
}

/**
 * Asks the server to stop what `client` is executing. Needs no right in the database, unlike pg_cancel_backend, which a
 * session under another role may not call. The request may come too late and hit the session's next statement, so the
 * client must not be used again. Never throws: the statement time-out ends the statement otherwise.
 */
export async function cancelRequest(client: PoolClient): Promise<void> {
  const { host, port, processID, secretKey } = client as unknown as Session
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
