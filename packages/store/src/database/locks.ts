import { Prisma } from '../generated/client.ts'
import type { Db } from './transaction.ts'

/**
 * First halves of the two-part advisory lock keys (of one database, "df" and a number). A transaction takes locks in
 * this order, so that no two wait for each other.
 */
export const ADVISORY_LOCKS = {
  /** Session lock around migrations; second half 0. */
  migration: 0x6466_0001,
  /** Session lock of a network's follower; second half: chain id. */
  writer: 0x6466_0002,
  /** Creating and dropping day partitions; second half 0. */
  partitions: 0x6466_0003,
  /** Rows of a network: shared by commits that add, exclusive for a rollback; second half: chain id. */
  rows: 0x6466_0004,
  /** Counters of a day over all networks: shared and exclusive as above; second half: days since 1970. */
  day: 0x6466_0005,
  /** Covered ranges of a network; second half: chain id. */
  coverage: 0x6466_0006,
  /** Session lock of the search for keys of pools; second half: chain id. */
  keySearch: 0x6466_0007,
  /**
   * Session lock of a network: shared by processes that index it, exclusive to deactivate it; second half: chain id.
   */
  claim: 0x6466_0008,
  /** Session lock of the building of search indexes; second half 0. */
  searchIndexes: 0x6466_0009,
  /** Replacing rows of a network, taken before all others: the head waits for one of them; second half: chain id. */
  replacement: 0x6466_000a,
} as const

/** Commits that add rows run concurrently (shared); one that rolls back or replaces runs alone (exclusive). */
export type LockMode = 'shared' | 'exclusive'

/** Locks the replacing of a network's rows until the end of the transaction. */
export async function lockReplacement(tx: Db, chainId: number): Promise<void> {
  await tx.$executeRaw`SELECT ${LOCK_OF.exclusive}(${ADVISORY_LOCKS.replacement}::int, ${chainId}::int)`
}

/** Locks the rows of a network until the end of the transaction. */
export async function lockRows(tx: Db, chainId: number, mode: LockMode): Promise<void> {
  await tx.$executeRaw`SELECT ${rowsLock(chainId, mode)}`
}

/** The same, as an expression of another statement. */
export function rowsLock(chainId: number, mode: LockMode): Prisma.Sql {
  return Prisma.sql`${LOCK_OF[mode]}(${ADVISORY_LOCKS.rows}::int, ${chainId}::int)`
}

/**
 * Locks the counters of these days, which all networks share, until the end of the transaction. Commits that add take
 * the counters' rows in one order. One that rolls back cannot, so it runs alone.
 */
export async function lockDays(tx: Db, days: readonly number[], mode: LockMode): Promise<void> {
  if (days.length === 0) return
  await tx.$executeRaw`
    SELECT ${LOCK_OF[mode]}(${ADVISORY_LOCKS.day}::int, day) FROM unnest(${ascending(days)}::int[]) AS day`
}

/** Locks the covered ranges of a network until the end of the transaction. Call it late: every commit needs them. */
export async function lockCoverage(tx: Db, chainId: number): Promise<void> {
  await tx.$executeRaw`SELECT ${LOCK_OF.exclusive}(${ADVISORY_LOCKS.coverage}::int, ${chainId}::int)`
}

/** Locks the creating and dropping of partitions until the end of the transaction. */
export async function lockPartitions(tx: Db): Promise<void> {
  await tx.$executeRaw`SELECT ${LOCK_OF.exclusive}(${ADVISORY_LOCKS.partitions}::int, 0)`
}

function ascending(days: readonly number[]): number[] {
  return [...new Set(days)].sort((a, b) => a - b)
}

const LOCK_OF = {
  shared: Prisma.raw('pg_advisory_xact_lock_shared'),
  exclusive: Prisma.raw('pg_advisory_xact_lock'),
} satisfies Record<LockMode, Prisma.Sql>
