import type { CoveredRange } from '@dexfeed/dex'
import type { ClientBase, Pool } from 'pg'
import { RangeAlreadyCovered } from '../store-error.ts'
import type { NetworkKey } from './network-key.ts'
import { lockCoverage } from './transaction-locks.ts'

export async function isCovered(connection: Pool | ClientBase, chainId: number, span: CoveredRange): Promise<boolean> {
  const { rowCount } = await connection.query(
    'SELECT FROM covered_range WHERE chain_id = $1 AND from_block <= $3 AND to_block >= $2 LIMIT 1',
    [chainId, span.from, span.to],
  )
  return rowCount !== 0
}

/**
 * Adds a range to what is covered, in one with the ranges that it touches.
 *
 * @throws RangeAlreadyCovered
 */
export async function coverRange(tx: ClientBase, { chainId, name }: NetworkKey, span: CoveredRange): Promise<void> {
  await lockCoverage(tx, chainId)
  // What is inserted is made of what was deleted, so the deletion comes first and leaves no key in the way.
  const { rowCount } = await tx.query(
    `WITH overlap AS (
       SELECT FROM covered_range WHERE chain_id = $1 AND from_block <= $3 AND to_block >= $2
     ), neighbour AS (
       DELETE FROM covered_range
       WHERE chain_id = $1 AND (to_block = $2 - 1 OR from_block = $3 + 1) AND NOT EXISTS (SELECT FROM overlap)
       RETURNING from_block, to_block, from_time, to_time
     )
     INSERT INTO covered_range (chain_id, from_block, to_block, from_time, to_time)
     SELECT $1, least($2, min(from_block)), greatest($3, max(to_block)),
       coalesce(min(from_time) FILTER (WHERE from_block < $2), to_timestamp($4)),
       coalesce(max(to_time) FILTER (WHERE to_block > $3), to_timestamp($5))
     FROM neighbour HAVING NOT EXISTS (SELECT FROM overlap)`,
    [chainId, span.from, span.to, span.fromTime, span.toTime],
  )
  if (rowCount === 0) throw new RangeAlreadyCovered(name, span.from, span.to)
}

/** Cuts off what is covered above a block. */
export async function uncoverAbove(tx: ClientBase, chainId: number, block: number): Promise<void> {
  await tx.query('DELETE FROM covered_range WHERE chain_id = $1 AND from_block > $2', [chainId, block])
  // Without the block's own header (it is kept while the block is reorgable) the time of the range's start is safe.
  await tx.query(
    `UPDATE covered_range AS range SET to_block = $2, to_time = coalesce(
       (SELECT block_time FROM block WHERE chain_id = $1 AND number = $2), range.from_time)
     WHERE chain_id = $1 AND to_block > $2`,
    [chainId, block],
  )
}
