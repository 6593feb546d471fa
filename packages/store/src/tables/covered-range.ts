import { type BlockPoint, type BlockRange, type CoveredRange, missingRanges, ROW_RULES } from '@dexfeed/dex'
import type { Db, Reads } from '../database/transaction.ts'
import { type CoveredRange as Model, Prisma } from '../generated/client.ts'
import { RangeAlreadyCovered } from '../store-error.ts'
import { readRows, type Stored, secondsOf, timeOf } from '../stored.ts'
import type { NetworkKey } from './network.ts'

// Adjacent ranges with the same rules are merged. Where ranges with different rules meet, their times are not exact;
// readers merge such ranges and use only the outer times, which are exact.

interface RuledRange extends CoveredRange {
  rules: number
}

function toRuledRange(row: Stored<Model>): RuledRange {
  return {
    from: Number(row.from_block),
    to: Number(row.to_block),
    fromTime: secondsOf(row.from_time),
    toTime: secondsOf(row.to_time),
    rules: row.rules,
  }
}

/** Merges adjacent ranges, even if their rows follow different rules. */
export function toCoveredRanges(rows: readonly Stored<Model>[]): CoveredRange[] {
  const merged: CoveredRange[] = []
  for (const { rules: _, ...range } of rows.map(toRuledRange)) {
    const last = merged.at(-1)
    if (last?.to === range.from - 1) Object.assign(last, { to: range.to, toTime: range.toTime })
    else merged.push(range)
  }
  return merged
}

export function toOldRanges(rows: readonly Stored<Model>[]): BlockRange[] {
  const old = rows.map(toRuledRange).filter(({ rules }) => rules < ROW_RULES)
  return old.map(({ from, to }) => ({ from, to }))
}

export const COVERED_RANGES = Prisma.sql`SELECT * FROM covered_range ORDER BY chain_id, from_block`

export type CoveredRangeRow = Stored<Model>

export function coveredRangesOf(chainId: number): Prisma.Sql {
  return Prisma.sql`SELECT * FROM covered_range WHERE chain_id = ${chainId} ORDER BY from_block`
}

async function readRanges(db: Reads, chainId: number): Promise<CoveredRangeRow[]> {
  return readRows(db, coveredRangesOf(chainId))
}

export async function readCoveredRanges(db: Reads, chainId: number): Promise<CoveredRange[]> {
  return toCoveredRanges(await readRanges(db, chainId))
}

export async function readOldRanges(db: Db, chainId: number): Promise<BlockRange[]> {
  return toOldRanges(await readRanges(db, chainId))
}

export async function isCovered(db: Db, chainId: number, { from, to }: BlockRange): Promise<boolean> {
  const where = { chainId, fromBlock: { lte: to }, toBlock: { gte: from } }
  return (await db.coveredRange.findFirst({ where, select: { chainId: true } })) !== null
}

export async function isCoveredWhole(db: Db, chainId: number, range: BlockRange): Promise<boolean> {
  return missingRanges(range, await readCoveredRanges(db, chainId)).length === 0
}

/** The caller holds the coverage lock. Throws RangeAlreadyCovered if `span` overlaps a covered range. */
export async function coverRange(tx: Db, { chainId, name }: NetworkKey, span: CoveredRange): Promise<void> {
  const { from, to, fromTime, toTime } = span
  // The INSERT reads the deleted rows, so the DELETE runs first and frees the key.
  const covered = await tx.$executeRaw`
    WITH overlap AS (
      SELECT FROM covered_range WHERE chain_id = ${chainId} AND from_block <= ${to} AND to_block >= ${from}
    ), neighbour AS (
      DELETE FROM covered_range
      WHERE chain_id = ${chainId} AND (to_block = ${from - 1} OR from_block = ${to + 1}) AND rules = ${ROW_RULES}
        AND NOT EXISTS (SELECT FROM overlap)
      RETURNING from_block, to_block, from_time, to_time
    )
    INSERT INTO covered_range (chain_id, from_block, to_block, from_time, to_time, rules)
    SELECT ${chainId}, least(${from}, min(from_block)), greatest(${to}, max(to_block)),
      coalesce(min(from_time) FILTER (WHERE from_block < ${from}), to_timestamp(${fromTime})),
      coalesce(max(to_time) FILTER (WHERE to_block > ${to}), to_timestamp(${toTime})), ${ROW_RULES}
    FROM neighbour HAVING NOT EXISTS (SELECT FROM overlap)`
  if (covered === 0) throw new RangeAlreadyCovered(name, from, to)
}

/** The caller holds the coverage lock. */
export async function renewCoverage(tx: Db, chainId: number, span: CoveredRange): Promise<void> {
  const touching = (await readRanges(tx, chainId))
    .map(toRuledRange)
    .filter(({ from, to }) => from <= span.to + 1 && to >= span.from - 1)
  await replaceRanges(tx, chainId, touching, renewed(touching, { ...span, rules: ROW_RULES }))
}

async function replaceRanges(
  tx: Db,
  chainId: number,
  gone: readonly RuledRange[],
  ranges: readonly RuledRange[],
): Promise<void> {
  await tx.coveredRange.deleteMany({ where: { chainId, fromBlock: { in: gone.map(({ from }) => from) } } })
  const data = ranges.map(({ from, to, fromTime, toTime, rules }) => ({
    chainId,
    fromBlock: from,
    toBlock: to,
    fromTime: timeOf(fromTime),
    toTime: timeOf(toTime),
    rules,
  }))
  await tx.coveredRange.createMany({ data })
}

/** Uncovers the blocks after `before` (all if null) that are below `first` (all if null), under the coverage lock. */
export async function uncoverBetween(
  tx: Db,
  chainId: number,
  before: BlockPoint | null,
  first: BlockPoint | null,
): Promise<void> {
  const low = before?.number ?? -1
  const limit = first?.number ?? Number.MAX_SAFE_INTEGER
  const cut = (await readRanges(tx, chainId)).map(toRuledRange).filter(({ from, to }) => from < limit && to > low)
  const left = cut.flatMap((range) => {
    const below = before !== null && range.from <= low ? [{ ...range, to: low, toTime: before.timestamp }] : []
    const above = first !== null && range.to >= limit ? [{ ...range, from: limit, fromTime: first.timestamp }] : []
    return [...below, ...above]
  })
  await replaceRanges(tx, chainId, cut, left)
}

/**
 * Replaces what lies within `span`. The ranges `touching` are ascending, and each touches `span`. The time at a cut is
 * unknown, so the nearest known time of the remaining range is used.
 */
export function renewed(touching: readonly RuledRange[], span: RuledRange): RuledRange[] {
  const below = touching.flatMap((range) => {
    if (range.to < span.from) return [range]
    return range.from < span.from ? [{ ...range, to: span.from - 1, toTime: range.fromTime }] : []
  })
  const above = touching.flatMap((range) => {
    if (range.from > span.to) return [range]
    return range.to > span.to ? [{ ...range, from: span.to + 1, fromTime: range.toTime }] : []
  })
  const merged: RuledRange[] = []
  for (const range of [...below, span, ...above]) {
    const last = merged.at(-1)
    if (last !== undefined && last.rules === range.rules) Object.assign(last, { to: range.to, toTime: range.toTime })
    else merged.push({ ...range })
  }
  return merged
}

/**
 * @param time of `block`, in seconds; if null (unknown), the start of the range is used, which understates the coverage
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

/** Corrects the start time of a range that begins with `block`, and the end time of one that ends with it. */
export async function setEndTime(tx: Db, chainId: number, block: number, time: number): Promise<void> {
  await tx.coveredRange.updateMany({ where: { chainId, fromBlock: block }, data: { fromTime: timeOf(time) } })
  await tx.coveredRange.updateMany({ where: { chainId, toBlock: block }, data: { toTime: timeOf(time) } })
}
