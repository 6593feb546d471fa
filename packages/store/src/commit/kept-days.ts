import { dateOfDay } from '@dexfeed/dex'
import type { ClientBase, Pool } from 'pg'

/** The first day (since 1970, UTC) whose rows are kept; null while all are. */
export async function keptSince(connection: Pool | ClientBase): Promise<number | null> {
  const { rows } = await connection.query<{ since: number }>(`SELECT since - DATE '1970-01-01' AS since FROM kept_days`)
  return rows[0]?.since ?? null
}

/** Notes that the rows of days before this one are no longer kept; it never goes back. */
export async function keepSince(tx: ClientBase, day: number): Promise<void> {
  await tx.query(
    `INSERT INTO kept_days AS stored (since) VALUES ($1)
     ON CONFLICT (id) DO UPDATE SET since = greatest(stored.since, excluded.since)`,
    [dateOfDay(day)],
  )
}
