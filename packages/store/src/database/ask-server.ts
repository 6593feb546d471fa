import { Client, type ClientConfig, DatabaseError } from 'pg'

/**
 * Asks the server by a connection of its own whether a backend has work to do before it answers: one that is idle, or
 * waits for what its client sends or takes, has none, and one that is gone neither. A server that does not answer within
 * the time is out of reach, and whatever was asked of it is lost. Never throws.
 */
export async function isWorking(config: ClientConfig, backend: number, withinMs: number): Promise<boolean> {
  const client = new Client({ ...config, connectionTimeoutMillis: withinMs })
  client.on('error', () => {})
  const late = setTimeout(() => client.connection.stream.destroy(), withinMs)
  try {
    await client.connect()
    // Both are null where this user may not know: then it may be working.
    const { rows } = await client.query<{ works: boolean }>(
      `SELECT coalesce(state NOT LIKE 'idle%' AND wait_event_type IS DISTINCT FROM 'Client', true) AS works
       FROM pg_stat_activity WHERE pid = $1`,
      [backend],
    )
    return rows[0]?.works ?? false
  } catch (error) {
    // A server that takes no connection now is there; it is asked again.
    return error instanceof DatabaseError
  } finally {
    clearTimeout(late)
    client.connection.stream.destroy()
  }
}
