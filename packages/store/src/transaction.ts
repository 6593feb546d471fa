import { setTimeout as delay } from 'node:timers/promises'
import type { Pool, PoolClient } from 'pg'
import { asStoreError, codeOf } from './as-store-error.ts'

/** serialization_failure, deadlock_detected: the server took this one back so that another could go on. */
const CONFLICTS = new Set(['40001', '40P01'])
/** A partition is visible a moment before every connection knows that it may write to it. */
const NO_PARTITION = /^no partition of relation/
const ATTEMPTS = 6
/** A process that stands still in a transaction must not hold its locks for ever. */
const BEGIN = `BEGIN; SET LOCAL idle_in_transaction_session_timeout = '60s'`

/**
 * Runs `work` in one READ COMMITTED transaction, again if the server took it back over a conflict (at most 6 times).
 *
 * @throws StoreError; after a lost connection it is retryable and the outcome of the commit is not known
 */
export async function inTransaction<T>(pool: Pool, work: (tx: PoolClient) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await attemptOnce(pool, work)
    } catch (error) {
      if (!isPassing(error) || attempt === ATTEMPTS) throw asStoreError(error)
      await delay(Math.random() * 25 * 2 ** attempt)
    }
  }
}

function isPassing(error: unknown): boolean {
  return CONFLICTS.has(codeOf(error) ?? '') || (error instanceof Error && NO_PARTITION.test(error.message))
}

async function attemptOnce<T>(pool: Pool, work: (tx: PoolClient) => Promise<T>): Promise<T> {
  const tx = await pool.connect()
  let broken: Error | undefined
  // A connection that dies between two statements tells it here; without a listener the process would end.
  const onError = (error: Error) => {
    broken = error
  }
  tx.on('error', onError)
  try {
    await tx.query(BEGIN)
    const result = await work(tx)
    await tx.query('COMMIT')
    return result
  } catch (error) {
    await tx.query('ROLLBACK').catch((failure: Error) => {
      broken ??= failure
    })
    throw error
  } finally {
    tx.removeListener('error', onError)
    tx.release(broken)
  }
}
