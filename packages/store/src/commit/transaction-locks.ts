import type { ClientBase } from 'pg'
import { ADVISORY_LOCKS } from '../advisory-locks.ts'

/** Adding ones go on side by side; one that takes rows back is alone. */
export type LockMode = 'adding' | 'taking back'

/** Locks the rows of a network until the end of the transaction. */
export async function lockRows(tx: ClientBase, chainId: number, mode: LockMode): Promise<void> {
  await tx.query(`SELECT ${lockFunction(mode)}($1, $2)`, [ADVISORY_LOCKS.rows, chainId])
}

/**
 * Locks the counters of these days, which all networks share, until the end of the transaction. Adding commits take
 * the counters' rows in one order; one that takes back cannot, and so is alone.
 */
export async function lockDays(tx: ClientBase, days: readonly number[], mode: LockMode): Promise<void> {
  if (days.length === 0) return
  const ascending = [...new Set(days)].sort((a, b) => a - b)
  await tx.query(`SELECT ${lockFunction(mode)}($1, day) FROM unnest($2::int[]) AS day`, [ADVISORY_LOCKS.day, ascending])
}

/** Locks the covered ranges of a network until the end of the transaction. */
export async function lockCoverage(tx: ClientBase, chainId: number): Promise<void> {
  await tx.query('SELECT pg_advisory_xact_lock($1, $2)', [ADVISORY_LOCKS.coverage, chainId])
}

function lockFunction(mode: LockMode): string {
  return mode === 'adding' ? 'pg_advisory_xact_lock_shared' : 'pg_advisory_xact_lock'
}
