import type { Db } from '../database/transaction.ts'
import { type NetworkRollback, Prisma } from '../generated/client.ts'
import type { Stored } from '../stored.ts'

/** A reader that missed more rollbacks reads everything again. */
const KEPT = 1_000

/** Ancestor of a rollback that deletes all pool states. */
const NOTHING = -1

export function writtenRollback(chainId: number, number: number, ancestor: number): Prisma.Sql {
  return Prisma.sql`written_rollback AS (
      INSERT INTO network_rollback (chain_id, number, ancestor) VALUES (${chainId}, ${number}, ${ancestor})
    ), forgotten_rollbacks AS (
      DELETE FROM network_rollback WHERE chain_id = ${chainId} AND number <= ${number - KEPT}
    )`
}

export async function writeWholeRollback(tx: Db, chainId: number): Promise<void> {
  await tx.$executeRaw`
    INSERT INTO network_rollback (chain_id, number, ancestor)
    SELECT chain_id, reorgs, ${NOTHING}::bigint FROM network WHERE chain_id = ${chainId}`
}

export function rollbacksAfter(chainId: number, number: number): Prisma.Sql {
  return Prisma.sql`SELECT number, ancestor FROM network_rollback WHERE chain_id = ${chainId} AND number > ${number}`
}

export type RollbackRow = Pick<Stored<NetworkRollback>, 'number' | 'ancestor'>

/**
 * Returns the last block that none of the rollbacks removed; null if it is unknown, or if no block is left.
 *
 * @param rollbacks those after `before`
 */
export function lowestAncestor(rollbacks: readonly RollbackRow[], before: number, now: number): number | null {
  if (rollbacks.length !== now - before) return null
  const ancestor = rollbacks.reduce((lowest, row) => Math.min(lowest, Number(row.ancestor)), Number.POSITIVE_INFINITY)
  return ancestor === NOTHING ? null : ancestor
}
