import { setTimeout as delay } from 'node:timers/promises'
import { HOUR, SECOND } from '@dexfeed/dex'
import type { Prisma } from '../generated/client.ts'
import { asStoreError, codeOf } from '../store-error.ts'
import type { Database } from './database.ts'

/** What a statement runs in: a transaction, or Prisma itself where none is needed. */
export type Db = Prisma.TransactionClient

/** serialization_failure, deadlock_detected, and Prisma's word for both: undone so that another could go on. */
const CONFLICTS = new Set(['40001', '40P01', 'P2034'])
/** A partition is visible a moment before every connection knows that it may write to it. */
const NO_PARTITION = /no partition of relation/
const ATTEMPTS = 6
/**
 * Prisma would end a transaction after 5 s. Ours end by themselves: sessions limit statements where they must (the
 * API's) and idleness in a transaction (connection-config.ts), and the pool how long a connection is waited for.
 */
const LIMITS = { timeout: HOUR, maxWait: 30 * SECOND }

/**
 * Runs `work` in one transaction of Prisma's, READ COMMITTED by default, again if the server undid it over a conflict
 * (at most 6 times).
 *
 * @throws StoreError; after a lost connection it is retryable and the outcome of the commit is not known
 */
export async function inTransaction<T>(
  { prisma }: Pick<Database, 'prisma'>,
  work: (tx: Db) => Promise<T>,
  isolationLevel: Prisma.TransactionIsolationLevel = 'ReadCommitted',
): Promise<T> {
  // Postgres' own default: no statement is needed to ask for it.
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

/** Did a commit meet a day whose partition is not there (any more)? */
export function lacksPartition(error: unknown): boolean {
  return error instanceof Error && NO_PARTITION.test(error.message)
}

function isPassing(error: unknown): boolean {
  return CONFLICTS.has(codeOf(error) ?? '') || lacksPartition(error)
}
