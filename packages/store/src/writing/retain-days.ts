import type { Database } from '../database/database.ts'
import { ADVISORY_LOCKS } from '../database/locks.ts'
import { asStoreError, codeOf } from '../store-error.ts'
import { deleteAwaitedValuesBefore } from '../tables/awaited-value.ts'
import { dropping, oldPartitions } from '../tables/day-partition.ts'
import { setKeptSince } from '../tables/kept-days.ts'
import { firstRequiredDay } from '../tables/network.ts'
import { deleteTokenMovesBefore } from '../tables/token-move.ts'

// Goes past Prisma: a partition is detached concurrently, outside any transaction, under a session's lock.

const LOCK_NOT_AVAILABLE = '55P03'
/** Waiting for a lock blocks no other process, but a transaction that hangs must not block this one for ever. */
const SESSION = '-c lock_timeout=5s'

/**
 * Days are since 1970, UTC. Keeps what another network still needs; what cannot be locked within seconds is left for
 * the next call. @returns the names of the dropped partitions
 */
export async function dropDaysBefore(database: Database, day: number): Promise<string[]> {
  const client = await database.connect('dexfeed retention', SESSION)
  const dropped: string[] = []
  try {
    await client.query('SELECT pg_advisory_lock($1, 0)', [ADVISORY_LOCKS.partitions])
    const first = Math.min(day, (await firstRequiredDay(database.prisma)) ?? day)
    await setKeptSince(database.prisma, first)
    for (const partition of await oldPartitions(database.prisma, first)) {
      for (const statement of dropping(partition)) await client.query(statement)
      dropped.push(partition.name)
    }
    // Last: every transaction that wrote to these days before they were dropped has ended.
    await deleteTokenMovesBefore(database.prisma, first)
    await deleteAwaitedValuesBefore(database.prisma, first)
  } catch (error) {
    if (codeOf(error) !== LOCK_NOT_AVAILABLE) throw asStoreError(error)
  } finally {
    await client.end().catch(() => {})
  }
  return dropped
}
