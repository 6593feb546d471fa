import type { Db } from '../database/transaction.ts'
import { type NetworkRollback, Prisma } from '../generated/client.ts'
import type { Stored } from '../stored.ts'

// Every statement here goes by network_rollback_pkey.

/** Who has missed more rollbacks of a network reads everything anew. */
const KEPT = 1_000

/** Of a rollback that leaves no pool state, below no block. */
const NOTHING = -1

/**
 * Writes up to which block the rollback of a number left the rows, and forgets old ones. As the list of a WITH, to run
 * with what counts the rollback (network.ts).
 */
export function writtenRollback(chainId: number, number: number, ancestor: number): Prisma.Sql {
  return Prisma.sql`written_rollback AS (
      INSERT INTO network_rollback (chain_id, number, ancestor) VALUES (${chainId}, ${number}, ${ancestor})
    ), forgotten_rollbacks AS (
      DELETE FROM network_rollback WHERE chain_id = ${chainId} AND number <= ${number - KEPT}
    )`
}

/** Writes that the network's last rollback, which is counted, left no pool state. */
export async function writeWholeRollback(tx: Db, chainId: number): Promise<void> {
  await tx.$executeRaw`
    INSERT INTO network_rollback (chain_id, number, ancestor)
    SELECT chain_id, reorgs, ${NOTHING}::bigint FROM network WHERE chain_id = ${chainId}`
}

/** The network's rollbacks after the first so many. */
export function rollbacksAfter(chainId: number, number: number): Prisma.Sql {
  return Prisma.sql`SELECT number, ancestor FROM network_rollback WHERE chain_id = ${chainId} AND number > ${number}`
}

export type RollbackRow = Pick<Stored<NetworkRollback>, 'number' | 'ancestor'>

/**
 * The last block that no rollback between two counts removed; null when that is not known any more, or none is left.
 *
 * @param rollbacks those after `before`
 */
export function lowestAncestor(rollbacks: readonly RollbackRow[], before: number, now: number): number | null {
  if (rollbacks.length !== now - before) return null
  const ancestor = rollbacks.reduce((lowest, row) => Math.min(lowest, Number(row.ancestor)), Number.POSITIVE_INFINITY)
  return ancestor === NOTHING ? null : ancestor
}
