import type { ClientBase, Pool } from 'pg'
import { RangeAlreadyCovered } from '../store-error.ts'
import type { NetworkKey } from './network-key.ts'
import { lockCoverage } from './transaction-locks.ts'

/** A range of blocks with the times of its ends. */
export interface CoveredRange {
  from: number
  to: number
  fromTime: number
  toTime: number
}

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
  if (await isCovered(tx, chainId, span)) throw new RangeAlreadyCovered(name, span.from, span.to)
  const { before, after } = await takeNeighbours(tx, chainId, span)
  await tx.query(
    `INSERT INTO covered_range (chain_id, from_block, to_block, from_time, to_time)
     VALUES ($1, $2, $3, to_timestamp($4), to_timestamp($5))`,
    [
      chainId,
      before?.from ?? span.from,
      after?.to ?? span.to,
      before?.fromTime ?? span.fromTime,
      after?.toTime ?? span.toTime,
    ],
  )
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

async function takeNeighbours(tx: ClientBase, chainId: number, span: CoveredRange) {
  const { rows } = await tx.query<CoveredRange>(
    `DELETE FROM covered_range WHERE chain_id = $1 AND (to_block = $2 - 1 OR from_block = $3 + 1)
     RETURNING from_block::float8 AS "from", to_block::float8 AS "to",
       extract(epoch FROM from_time)::float8 AS "fromTime", extract(epoch FROM to_time)::float8 AS "toTime"`,
    [chainId, span.from, span.to],
  )
  return { before: rows.find(({ to }) => to < span.from), after: rows.find(({ from }) => from > span.to) }
}
