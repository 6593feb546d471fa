import type { Database } from '../database/database.ts'
import { ADVISORY_LOCKS } from '../database/locks.ts'
import { asStoreError, codeOf } from '../store-error.ts'
import { deleteAwaitedValuesBefore } from '../tables/awaited-value.ts'
import { dropping, oldPartitions } from '../tables/day-partition.ts'
import { setKeptSince } from '../tables/kept-days.ts'
import { firstRequiredDay } from '../tables/network.ts'
import { deleteTokenMovesBefore } from '../tables/token-move.ts'

// Bypasses Prisma, because a partition is detached concurrently, outside any transaction and under a session lock.

const LOCK_NOT_AVAILABLE = '55P03'
/** Waiting for a lock blocks no other process, but a hanging transaction must not block this one forever. */
const SESSION = '-c lock_timeout=5s'

/**
 * `day` is in days since 1970 (UTC). Keeps days that a network still requires, and leaves a partition that cannot be
 * locked within seconds to the next call. Returns the names of the dropped partitions.
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
    // Last, because every transaction that wrote to these days before they were dropped has ended by now.
    await deleteTokenMovesBefore(database.prisma, first)
    await deleteAwaitedValuesBefore(database.prisma, first)
  } catch (error) {
    if (codeOf(error) !== LOCK_NOT_AVAILABLE) throw asStoreError(error)
  } finally {
    await client.end().catch(() => {})
  }
  return dropped
}
