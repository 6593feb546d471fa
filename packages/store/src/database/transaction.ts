import { setTimeout as delay } from 'node:timers/promises'
import { HOUR, SECOND } from '@dexfeed/dex'
import type { Prisma } from '../generated/client.ts'
import { asStoreError, codeOf } from '../store-error.ts'
import type { Database } from './database.ts'

export type Db = Prisma.TransactionClient
export type Reads = Pick<Db, '$queryRaw'>

/** serialization_failure, deadlock_detected, and Prisma's code for both. */
const CONFLICTS = new Set(['40001', '40P01', 'P2034'])
/** A partition becomes visible a moment before every connection can write to it. */
const NO_PARTITION = /no partition of relation/
const ATTEMPTS = 6
/** Prisma's own limit is 5 s. The session settings limit statements and idle time instead. */
const LIMITS = { timeout: HOUR, maxWait: 30 * SECOND }

/**
 * Runs `work` in one Prisma transaction, up to 6 times if there are conflicts. Throws a StoreError; after a lost
 * connection it is retryable, and the outcome of the commit is unknown.
 */
export async function inTransaction<T>(
  { prisma }: Database,
  work: (tx: Db) => Promise<T>,
  isolationLevel: Prisma.TransactionIsolationLevel = 'ReadCommitted',
): Promise<T> {
  const options = isolationLevel === 'ReadCommitted' ? LIMITS : { ...LIMITS, isolationLevel }
  for (let attempt = 1; ; attempt++) {
    try {
      return await prisma.$transaction(work, options)
    } catch (error) {
      if (!isPassing(error) || attempt === ATTEMPTS) throw asStoreError(error)
      await delay(Math.random() * 25 * 2 ** attempt)
    }
  }
}

export function inSnapshot<T>(database: Database, read: (tx: Db) => Promise<T>): Promise<T> {
  return inTransaction(database, read, 'RepeatableRead')
}

export function lacksPartition(error: unknown): boolean {
  return error instanceof Error && NO_PARTITION.test(error.message)
}

function isPassing(error: unknown): boolean {
  return CONFLICTS.has(codeOf(error) ?? '') || lacksPartition(error)
}
