import { type BlockRange, dateOfDay, ROW_RULES } from '@dexfeed/dex'
import { lockLake } from '../database/locks.ts'
import type { Db, Reads } from '../database/transaction.ts'
import { Prisma } from '../generated/client.ts'
import { isOfKeptDay } from './kept-days.ts'
import { MAX_STEP_BACK_S } from './swap/swap-hop.ts'

// Only rows of covered blocks can belong to a day in the lake, and commits write only blocks that are not covered. So
// what marks days is the rest: replacements, rollbacks below the final block, settled values, recounts, restored days, and
// other anchors or decimals that the configuration gives. Symbols, names and fees in files are as known when the day was
// written, and so are decimals that become known later.

/** Days are counted since 1970 (UTC). */
interface LakeDay {
  day: number
  /** Increases with every attempt to write the day. */
  version: number
  isWritten: boolean
  /** Whether rows of the day have changed since this version was begun. */
  isChanged: boolean
}

/** Call it late in a transaction that changes rows of these blocks: it then holds the lake's lock to the end. */
export async function markLakeBlocks(tx: Db, chainId: number, { from, to }: BlockRange): Promise<void> {
  await markChanged(tx, [chainId], Prisma.sql`from_block <= ${to}::bigint AND to_block >= ${from}::bigint`)
}

/** Like `markLakeBlocks`. */
export async function markLakeDays(tx: Db, chainIds: readonly number[], days: readonly number[]): Promise<void> {
  await markChanged(tx, chainIds, Prisma.sql`day = ANY (${days.map(dateOfDay)}::text[]::date[])`)
}

/** Like `markLakeBlocks`, for all kept days: rows of others cannot be read again. */
export async function markWholeLake(tx: Db, chainId: number): Promise<void> {
  await markChanged(tx, [chainId], isOfKeptDay(startOf(Prisma.sql`day`)))
}

/** Two statements: the second must see a day that another transaction began while the first waited. */
async function markChanged(tx: Db, chainIds: readonly number[], which: Prisma.Sql): Promise<void> {
  await lockLake(tx, chainIds, 'shared')
  await tx.$executeRaw`UPDATE lake_day SET is_changed = true WHERE chain_id = ANY (${chainIds}::int[]) AND ${which}`
}

/**
 * Begins a new version, higher than the stored one and than `newest`, and returns it. The caller holds the lake's lock
 * exclusively, so every change that does not mark this version has been committed.
 */
export async function beginLakeDay(tx: Db, chainId: number, day: number, newest: number): Promise<number> {
  const date = dateOfDay(day)
  const [begin, end] = [Prisma.sql`${startOf(Prisma.sql`${date}::date`)}`, startOf(Prisma.sql`(${date}::date + 1)`)]
  const stepBack = Prisma.sql`make_interval(secs => ${MAX_STEP_BACK_S})`
  // The neighbouring trades enclose the day's blocks, also those without trades. Times may decrease, so trades close to
  // the day's ends may be between its blocks.
  const [row] = await tx.$queryRaw<{ version: number }[]>`
    INSERT INTO lake_day AS stored (chain_id, day, version, from_block, to_block, is_written, is_changed)
    SELECT ${chainId}, ${date}::date, ${newest}::int + 1,
      coalesce((SELECT max(block_number) FROM swap
        WHERE chain_id = ${chainId} AND block_time >= ${begin} - interval '1 day'
          AND block_time < ${begin} - ${stepBack}) + 1, 0),
      coalesce((SELECT min(block_number) FROM swap
        WHERE chain_id = ${chainId} AND block_time >= ${end} + ${stepBack}
          AND block_time < ${end} + interval '1 day') - 1,
        ${Number.MAX_SAFE_INTEGER}::bigint),
      false, false
    ON CONFLICT (chain_id, day) DO UPDATE SET version = greatest(stored.version + 1, excluded.version),
      from_block = excluded.from_block, to_block = excluded.to_block, is_written = false, is_changed = false
    RETURNING version`
  if (row === undefined) throw new Error(`the row of ${date} was not written`)
  return row.version
}

/** Returns false if rows have changed since the version was begun, or another version was. */
export async function confirmLakeDay(db: Db, chainId: number, day: number, version: number): Promise<boolean> {
  const confirmed = await db.$executeRaw`UPDATE lake_day SET is_written = true
    WHERE chain_id = ${chainId} AND day = ${dateOfDay(day)}::date AND version = ${version} AND NOT is_changed`
  return confirmed > 0
}

/** For a day whose files are lost: it is due again, and its next version has a new number. */
export async function forgetLakeDay(db: Db, chainId: number, day: number): Promise<void> {
  await db.$executeRaw`UPDATE lake_day SET is_written = false
    WHERE chain_id = ${chainId} AND day = ${dateOfDay(day)}::date`
}

export async function readLakeDays(db: Reads, chainId: number): Promise<LakeDay[]> {
  return db.$queryRaw<LakeDay[]>`
    SELECT day - DATE '1970-01-01' AS day, version, is_written AS "isWritten", is_changed AS "isChanged"
    FROM lake_day WHERE chain_id = ${chainId} ORDER BY lake_day.day`
}

const IS_IN_LAKE = Prisma.sql`l.is_written AND NOT l.is_changed`

/**
 * Returns the oldest kept day with trades that an active network lacks in the lake as it is, or null. Leaves out days
 * that never become complete, because the network's start is within them, or after blocks that are not covered.
 */
export async function readFirstUnwrittenDay(db: Reads): Promise<number | null> {
  const [row] = await db.$queryRaw<{ day: number | null }[]>`
    SELECT min(t.day) - DATE '1970-01-01' AS day
    FROM day_total t JOIN network n USING (chain_id) LEFT JOIN lake_day l USING (chain_id, day)
    CROSS JOIN LATERAL (
      SELECT ${startOf(Prisma.sql`t.day`)} AS begin, ${startOf(Prisma.sql`(t.day + 1)`)} AS end
    ) span
    WHERE n.active AND ${isOfKeptDay(Prisma.sql`span.begin`)} AND (${IS_IN_LAKE}) IS NOT TRUE
      AND (n.start_time < span.begin OR n.start_block = 0 OR EXISTS (
        SELECT FROM covered_range c WHERE c.chain_id = n.chain_id AND (c.from_time < span.begin OR c.from_block = 0)
          AND (c.to_time >= span.end OR c.to_block >= n.start_block - 1)
      ))`
  return row?.day ?? null
}

export interface LakeDayRow {
  chain_id: number
  /** Since 1970 (UTC). */
  day: number
  version: number
}

/** Selects the days of each network before the kept ones, back to the first that the lake does not have as it is. */
export const LAKE_DAYS_BEFORE_KEPT = Prisma.sql`
  SELECT chain_id, day - DATE '1970-01-01' AS day, version FROM (
    SELECT l.*, since, (row_number() OVER (PARTITION BY chain_id ORDER BY l.day DESC))::int AS age
    FROM lake_day l JOIN kept_days ON l.day < since WHERE ${IS_IN_LAKE}
  ) AS written WHERE day = since - age ORDER BY chain_id, day`

/** Selects their versions of one network. */
export function versionsBeforeKept(chainId: number): Prisma.Sql {
  return Prisma.sql`SELECT version FROM (${LAKE_DAYS_BEFORE_KEPT}) AS before WHERE chain_id = ${chainId} ORDER BY day`
}

/** Days that are complete, but not in the lake as they are, oldest first. */
export async function readDueLakeDays(db: Reads, chainId: number): Promise<number[]> {
  const rows = await db.$queryRaw<{ day: number }[]>`
    SELECT complete.day - DATE '1970-01-01' AS day FROM (${completeDays(chainId)}) AS complete
    WHERE NOT EXISTS (
      SELECT FROM lake_day l
      WHERE l.chain_id = ${chainId} AND l.day = complete.day AND ${IS_IN_LAKE}
    )
    ORDER BY 1`
  return rows.map(({ day }) => day)
}

/** How many days are in the lake as they are, and which are due. */
export async function countLakeDays(db: Reads, chainId: number): Promise<{ written: number; due: number[] }> {
  const days = await readLakeDays(db, chainId)
  const written = days.filter(({ isWritten, isChanged }) => isWritten && !isChanged).length
  return { written, due: await readDueLakeDays(db, chainId) }
}

export async function isDayComplete(db: Reads, chainId: number, day: number): Promise<boolean> {
  const rows = await db.$queryRaw<unknown[]>`
    SELECT FROM (${completeDays(chainId)}) AS complete WHERE day = ${dateOfDay(day)}::date`
  return rows.length > 0
}

/**
 * Days whose rows are kept and will not change by themselves: fully covered under the current rules, final, and without
 * awaited values. Blocks may share a second, so a block on each side of a day proves that the day is covered. Days
 * without trades are included, if they are between others.
 */
function completeDays(chainId: number): Prisma.Sql {
  return Prisma.sql`
    SELECT known.day
    FROM (SELECT generate_series(min(day), max(day), interval '1 day')::date AS day FROM day_total) known
    CROSS JOIN LATERAL (
      SELECT ${startOf(Prisma.sql`known.day`)} AS begin, ${startOf(Prisma.sql`(known.day + 1)`)} AS end
    ) span
    JOIN network n ON n.chain_id = ${chainId}
    WHERE ${isOfKeptDay(Prisma.sql`span.begin`)}
      AND EXISTS (
        SELECT FROM covered_range c WHERE c.chain_id = ${chainId} AND (c.from_time < span.begin OR c.from_block = 0)
          AND c.to_time >= span.end AND c.rules = ${ROW_RULES}
      )
      AND span.end <= (
        SELECT max(b.block_time) FROM block b WHERE b.chain_id = ${chainId} AND b.number <= n.final_number
      )
      AND NOT EXISTS (
        SELECT FROM awaited_value v
        WHERE v.chain_id = ${chainId} AND v.block_time >= span.begin AND v.block_time < span.end
      )`
}

function startOf(day: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`${day}::timestamp AT TIME ZONE 'UTC'`
}
