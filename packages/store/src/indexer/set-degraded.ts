import type { Pool } from 'pg'
import { ADVISORY_LOCKS } from '../advisory-locks.ts'

/**
 * Says why a network stands still, or (null) that it does not. Only its writer can tell, by the epoch of the lease; who
 * has none is heard while nobody writes, else one that waits or has lost the lease would speak for one that is well.
 */
export async function setDegraded(
  pool: Pool,
  chainId: number,
  reason: string | null,
  epoch: number | null,
): Promise<void> {
  if (epoch === null) {
    await pool.query('UPDATE network SET degraded = $2 WHERE chain_id = $1 AND pg_try_advisory_xact_lock($3, $4)', [
      chainId,
      reason,
      ADVISORY_LOCKS.writer,
      chainId,
    ])
  } else {
    await pool.query('UPDATE network SET degraded = $2 WHERE chain_id = $1 AND writer_epoch = $3', [
      chainId,
      reason,
      epoch,
    ])
  }
}
