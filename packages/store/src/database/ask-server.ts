import { Client, type ClientConfig, DatabaseError } from 'pg'

/**
 * Queries the server, over a separate connection, whether a backend still has work to do before it responds. A backend
 * has none if it is idle, if it waits for its client to send or receive, or if it is gone. A server that does not
 * respond in time is out of reach, and the statement is lost. Never throws.
 */
export async function isWorking(config: ClientConfig, backend: number, withinMs: number): Promise<boolean> {
  const client = new Client({ ...config, connectionTimeoutMillis: withinMs })
  client.on('error', () => {})
  const late = setTimeout(() => client.connection.stream.destroy(), withinMs)
  try {
    await client.connect()
    // Both are null if this user may not read them: then the backend may be working.
    const { rows } = await client.query<{ works: boolean }>(
      `SELECT coalesce(state NOT LIKE 'idle%' AND wait_event_type IS DISTINCT FROM 'Client', true) AS works
       FROM pg_stat_activity WHERE pid = $1`,
      [backend],
    )
    return rows[0]?.works ?? false
  } catch (error) {
    // A server that accepts no connection now is alive; it is queried again later.
    return error instanceof DatabaseError
  } finally {
    clearTimeout(late)
    client.connection.stream.destroy()
  }
}
