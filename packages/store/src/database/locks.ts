import { Prisma } from '../generated/client.ts'
import type { Db } from './transaction.ts'

/**
 * First halves of two-part advisory lock keys; the second half is the chain id unless noted. Transactions take locks in
 * ascending order, except where noted, so that no two wait for each other.
 */
export const ADVISORY_LOCKS = {
  /** Session lock; second half 0. */
  migration: 0x6466_0001,
  /** The follower's session lock. */
  writer: 0x6466_0002,
  /** Creating and dropping day partitions; second half 0. */
  partitions: 0x6466_0003,
  rows: 0x6466_0004,
  /** Counters of a day over all networks; second half: days since 1970. */
  day: 0x6466_0005,
  coverage: 0x6466_0006,
  /** Session lock. */
  keySearch: 0x6466_0007,
  /** Session lock: shared by processes that index a network, exclusive to deactivate it. */
  claim: 0x6466_0008,
  /** Session lock; second half 0. */
  searchIndexes: 0x6466_0009,
  /** Lets one replacement of rows run at a time. Taken before all others, so that one that waits delays no head. */
  replacement: 0x6466_000a,
  /**
   * Shared by transactions that change rows of complete days, exclusive to begin writing a day to the lake. Taken after
   * all other locks of this list; what begins a day takes only this one.
   */
  lake: 0x6466_000b,
  /** Session lock of the program that writes the lake; second half 0. */
  lakeWriter: 0x6466_000c,
} as const

/** Commits that only add rows run concurrently (shared); rollbacks and replacements run alone (exclusive). */
export type LockMode = 'shared' | 'exclusive'

export async function lockReplacement(tx: Db, chainId: number): Promise<void> {
  await tx.$executeRaw`SELECT ${LOCK_OF.exclusive}(${ADVISORY_LOCKS.replacement}::int, ${chainId}::int)`
}

export async function lockRows(tx: Db, chainId: number, mode: LockMode): Promise<void> {
  await tx.$executeRaw`SELECT ${rowsLock(chainId, mode)}`
}

export function rowsLock(chainId: number, mode: LockMode): Prisma.Sql {
  return Prisma.sql`${LOCK_OF[mode]}(${ADVISORY_LOCKS.rows}::int, ${chainId}::int)`
}

/** Commits that only add rows write the days' counters in a fixed order; a rollback cannot, so it runs alone. */
export async function lockDays(tx: Db, days: readonly number[], mode: LockMode): Promise<void> {
  if (days.length === 0) return
  await tx.$executeRaw`
    SELECT ${LOCK_OF[mode]}(${ADVISORY_LOCKS.day}::int, day) FROM unnest(${ascending(days)}::int[]) AS day`
}

/** Call it late in a transaction, because every commit needs this lock. */
export async function lockCoverage(tx: Db, chainId: number): Promise<void> {
  await tx.$executeRaw`SELECT ${LOCK_OF.exclusive}(${ADVISORY_LOCKS.coverage}::int, ${chainId}::int)`
}

export async function lockLake(tx: Db, chainIds: readonly number[], mode: LockMode): Promise<void> {
  await tx.$executeRaw`
    SELECT ${LOCK_OF[mode]}(${ADVISORY_LOCKS.lake}::int, id) FROM unnest(${ascending(chainIds)}::int[]) AS id`
}

export async function lockPartitions(tx: Db): Promise<void> {
  await tx.$executeRaw`SELECT ${LOCK_OF.exclusive}(${ADVISORY_LOCKS.partitions}::int, 0)`
}

function ascending(numbers: readonly number[]): number[] {
  return [...new Set(numbers)].sort((a, b) => a - b)
}

const LOCK_OF = {
  shared: Prisma.raw('pg_advisory_xact_lock_shared'),
  exclusive: Prisma.raw('pg_advisory_xact_lock'),
} satisfies Record<LockMode, Prisma.Sql>
