import { setTimeout as delay } from 'node:timers/promises'
import { HOUR, SECOND } from '@dexfeed/dex'
import type { Prisma } from '../generated/client.ts'
import { asStoreError, codeOf } from '../store-error.ts'
import type { Database } from './database.ts'

/** What a statement runs on: a transaction, or Prisma itself if none is needed. */
export type Db = Prisma.TransactionClient

/** serialization_failure, deadlock_detected, and Prisma's code for both: another transaction could continue. */
const CONFLICTS = new Set(['40001', '40P01', 'P2034'])
/** A partition is visible a moment before every connection may write to it. */
const NO_PARTITION = /no partition of relation/
const ATTEMPTS = 6
/**
 * Prisma would end a transaction after 5 s. These transactions are limited otherwise. Sessions limit statements where
 * needed (the API's), and the idle time in a transaction (connection-config.ts). The pool limits the wait for a
 * connection.
 */
const LIMITS = { timeout: HOUR, maxWait: 30 * SECOND }

/**
 * Runs `work` in one Prisma transaction, READ COMMITTED by default. Repeats it, up to 6 times in total, if the server
 * rolled it back because of a conflict.
 *
 * @throws StoreError; after a lost connection it is retryable and the outcome of the commit is not known
 */
export async function inTransaction<T>(
  { prisma }: Pick<Database, 'prisma'>,
  work: (tx: Db) => Promise<T>,
  isolationLevel: Prisma.TransactionIsolationLevel = 'ReadCommitted',
): Promise<T> {
  // Postgres' own default: no statement is needed to set it.
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

/** Returns whether a commit failed because the partition of a day does not exist (any more). */
export function lacksPartition(error: unknown): boolean {
  return error instanceof Error && NO_PARTITION.test(error.message)
}

function isPassing(error: unknown): boolean {
  return CONFLICTS.has(codeOf(error) ?? '') || lacksPartition(error)
}
