import type { BlockRange, CoveredRange } from '@dexfeed/dex'
import type { Db } from '../database/transaction.ts'
import { type CoveredRange as Model, Prisma } from '../generated/client.ts'
import { RangeAlreadyCovered } from '../store-error.ts'
import { readRows, type Stored, secondsOf, timeOf } from '../stored.ts'
import type { NetworkKey } from './network.ts'

// Every statement here uses covered_range_pkey. A network has few rows, since adjacent ranges are merged.

export function toCoveredRange(row: Stored<Model>): CoveredRange {
  return {
    from: Number(row.from_block),
    to: Number(row.to_block),
    fromTime: secondsOf(row.from_time),
    toTime: secondsOf(row.to_time),
  }
}

/** The rows of all networks, ascending; no two are adjacent. */
export const COVERED_RANGES = Prisma.sql`SELECT * FROM covered_range ORDER BY chain_id, from_block`

/** Returns the covered ranges of a network, ascending; no two are adjacent. */
export async function readCoveredRanges(db: Db, chainId: number): Promise<CoveredRange[]> {
  const query = Prisma.sql`SELECT * FROM covered_range WHERE chain_id = ${chainId} ORDER BY from_block`
  return (await readRows<Stored<Model>>(db, query)).map(toCoveredRange)
}

/** Returns whether any block of the range is covered. */
export async function isCovered(db: Db, chainId: number, { from, to }: BlockRange): Promise<boolean> {
  const where = { chainId, fromBlock: { lte: to }, toBlock: { gte: from } }
  return (await db.coveredRange.findFirst({ where, select: { chainId: true } })) !== null
}

/** Returns whether the whole range is covered. */
export async function isCoveredWhole(db: Db, chainId: number, { from, to }: BlockRange): Promise<boolean> {
  const where = { chainId, fromBlock: { lte: from }, toBlock: { gte: to } }
  return (await db.coveredRange.findFirst({ where, select: { chainId: true } })) !== null
}

/** Adds a range to the covered ones, which are locked, and merges those that it touches. @throws RangeAlreadyCovered */
export async function coverRange(tx: Db, { chainId, name }: NetworkKey, span: CoveredRange): Promise<void> {
  const { from, to, fromTime, toTime } = span
  // The inserted range is made of the deleted ones, so the deletion runs first and frees the key.
  const covered = await tx.$executeRaw`
    WITH overlap AS (
      SELECT FROM covered_range WHERE chain_id = ${chainId} AND from_block <= ${to} AND to_block >= ${from}
    ), neighbour AS (
      DELETE FROM covered_range
      WHERE chain_id = ${chainId} AND (to_block = ${from - 1} OR from_block = ${to + 1})
        AND NOT EXISTS (SELECT FROM overlap)
      RETURNING from_block, to_block, from_time, to_time
    )
    INSERT INTO covered_range (chain_id, from_block, to_block, from_time, to_time)
    SELECT ${chainId}, least(${from}, min(from_block)), greatest(${to}, max(to_block)),
      coalesce(min(from_time) FILTER (WHERE from_block < ${from}), to_timestamp(${fromTime})),
      coalesce(max(to_time) FILTER (WHERE to_block > ${to}), to_timestamp(${toTime}))
    FROM neighbour HAVING NOT EXISTS (SELECT FROM overlap)`
  if (covered === 0) throw new RangeAlreadyCovered(name, from, to)
}

/**
 * Cuts off the covered ranges above a block.
 *
 * @param time the block's time in seconds. If it is null (unknown), the time of the range's start is used, which is
 * safe
 */
export async function uncoverAbove(tx: Db, chainId: number, block: number, time: number | null): Promise<void> {
  await tx.coveredRange.deleteMany({ where: { chainId, fromBlock: { gt: block } } })
  const cut = await tx.coveredRange.findFirst({ where: { chainId, toBlock: { gt: block } } })
  if (cut === null) return
  await tx.coveredRange.update({
    where: { chainId_fromBlock: { chainId, fromBlock: cut.fromBlock } },
    data: { toBlock: block, toTime: time === null ? cut.fromTime : timeOf(time) },
  })
}

/** Sets the time (seconds) of a block in covered ranges that begin or end with it. */
export async function setEndTime(tx: Db, chainId: number, block: number, time: number): Promise<void> {
  await tx.coveredRange.updateMany({ where: { chainId, fromBlock: block }, data: { fromTime: timeOf(time) } })
  await tx.coveredRange.updateMany({ where: { chainId, toBlock: block }, data: { toTime: timeOf(time) } })
}
