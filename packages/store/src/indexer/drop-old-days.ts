import { dateOfDay } from '@dexfeed/dex'
import type { Client } from 'pg'
import { ADVISORY_LOCKS } from '../advisory-locks.ts'
import { asStoreError, codeOf } from '../as-store-error.ts'
import { keepSince } from '../commit/kept-days.ts'
import type { Database } from '../database.ts'
import { deleteTokenMovesBefore } from '../tables/token-move.ts'

const LOCK_NOT_AVAILABLE = '55P03'
/** Nobody else waits while we wait for a lock, but a transaction that hangs must not hold us up for ever. */
const SESSION = '-c lock_timeout=5s'
/** Days are dropped by these, in this order: a day without `swap` takes no commit any more. */
const PARENTS = ['swap', 'day_trader'] as const

interface Partition {
  parent: (typeof PARENTS)[number]
  name: string
  /** Null: detached already, but not dropped. */
  detach: 'CONCURRENTLY' | 'FINALIZE' | null
}

/**
 * Drops the rows of all days (since 1970, UTC) before this one; their totals and their numbers of addresses stay. A
 * partition is detached CONCURRENTLY, which waits for the transactions under way but lets readers and writers go on,
 * and dropped when it is nobody's any more. What cannot be locked within seconds is left for the next time.
 *
 * @returns the names of the partitions that are gone
 */
export async function dropDaysBefore(database: Database, day: number): Promise<string[]> {
  const client = await database.connect('dexfeed retention', SESSION)
  const dropped: string[] = []
  try {
    await client.query('SELECT pg_advisory_lock($1, 0)', [ADVISORY_LOCKS.partitions])
    await keepSince(client, day)
    for (const partition of await oldPartitions(client, day)) {
      await drop(client, partition)
      dropped.push(partition.name)
    }
    // Last: whoever wrote to these days before they were dropped is done.
    await deleteTokenMovesBefore(client, day)
  } catch (error) {
    if (codeOf(error) !== LOCK_NOT_AVAILABLE) throw asStoreError(error)
  } finally {
    await client.end().catch(() => {})
  }
  return dropped
}

async function drop(client: Client, { parent, name, detach }: Partition): Promise<void> {
  if (detach !== null) await client.query(`ALTER TABLE ${parent} DETACH PARTITION ${name} ${detach}`)
  await client.query(`DROP TABLE ${name}`)
}

/** Partitions of days before this one, also those whose dropping was interrupted. */
async function oldPartitions(client: Client, day: number): Promise<Partition[]> {
  const found: Partition[] = []
  for (const parent of PARENTS) {
    const { rows } = await client.query<Omit<Partition, 'parent'>>(
      `SELECT relname AS name, CASE WHEN inhdetachpending THEN 'FINALIZE' WHEN inhparent IS NOT NULL THEN 'CONCURRENTLY' END AS detach
       FROM pg_class LEFT JOIN pg_inherits ON inhrelid = pg_class.oid
       WHERE relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema()) AND relkind = 'r'
         AND relname ~ ('^' || $1 || '_\\d{8}$') AND relname < $1 || '_' || $2
       ORDER BY relname`,
      [parent, dateOfDay(day).replaceAll('-', '')],
    )
    found.push(...rows.map((row) => ({ parent, ...row })))
  }
  return found
}
