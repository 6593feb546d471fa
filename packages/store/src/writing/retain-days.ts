import type { Database } from '../database/database.ts'
import { ADVISORY_LOCKS } from '../database/locks.ts'
import { asStoreError, codeOf } from '../store-error.ts'
import { dropping, oldPartitions } from '../tables/day-partition.ts'
import { keepSince } from '../tables/kept-days.ts'
import { firstWantedDay } from '../tables/network.ts'
import { deleteTokenMovesBefore } from '../tables/token-move.ts'

// Past Prisma: a partition is detached concurrently outside of any transaction, while a lock of the session keeps
// others from making and dropping partitions. Prisma's sessions are its pool's.

const LOCK_NOT_AVAILABLE = '55P03'
/** Nobody else waits while we wait for a lock, but a transaction that hangs must not hold us up for ever. */
const SESSION = '-c lock_timeout=5s'

/**
 * Drops the rows of all days (since 1970, UTC) before this one; their totals and their numbers of addresses stay. A day
 * holds the rows of all networks: so one that another network still wants, by its own start, stays for now. What cannot
 * be locked within seconds is left for the next time.
 *
 * @returns the names of the partitions that are gone
 */
export async function dropDaysBefore(database: Database, day: number): Promise<string[]> {
  const client = await database.connect('dexfeed retention', SESSION)
  const dropped: string[] = []
  try {
    await client.query('SELECT pg_advisory_lock($1, 0)', [ADVISORY_LOCKS.partitions])
    const first = Math.min(day, (await firstWantedDay(database.prisma)) ?? day)
    await keepSince(database.prisma, first)
    for (const partition of await oldPartitions(database.prisma, first)) {
      for (const statement of dropping(partition)) await client.query(statement)
      dropped.push(partition.name)
    }
    // Last: whoever wrote to these days before they were dropped is done.
    await deleteTokenMovesBefore(database.prisma, first)
  } catch (error) {
    if (codeOf(error) !== LOCK_NOT_AVAILABLE) throw asStoreError(error)
  } finally {
    await client.end().catch(() => {})
  }
  return dropped
}
