import { dateOfDay, dayOf, usdText } from '@dexfeed/dex'
import type { Db, Reads } from '../database/transaction.ts'
import { type DayTotal, Prisma } from '../generated/client.ts'
import { json, readRows, type Stored } from '../stored.ts'
import type { SettledHour } from './awaited-value.ts'
import { COPIED_CHAIN, COPIED_DAY, type CopiedRows } from './copied-rows.ts'
import type { DayTotalCount } from './day-counts.ts'
import { swapsOfDay } from './swap/swap.ts'

function asRows(chainId: number, counts: readonly DayTotalCount[]): Prisma.Sql {
  const rows = counts.map(
    ({ day, swaps, unpriced, flagged, volumeE8 }): Stored<DayTotal> => ({
      day: dateOfDay(day),
      chain_id: chainId,
      swaps,
      unpriced,
      flagged,
      volume_usd: usdText(volumeE8),
    }),
  )
  return Prisma.sql`json_populate_recordset(NULL::day_total, ${json(rows)})`
}

export async function addDayTotals(tx: Db, chainId: number, counts: readonly DayTotalCount[]): Promise<void> {
  if (counts.length === 0) return
  await tx.$executeRaw`
    INSERT INTO day_total AS total SELECT * FROM ${asRows(chainId, counts)} ORDER BY day
    ON CONFLICT (day, chain_id) DO UPDATE SET swaps = total.swaps + excluded.swaps,
      unpriced = total.unpriced + excluded.unpriced, flagged = total.flagged + excluded.flagged,
      volume_usd = total.volume_usd + excluded.volume_usd`
}

/** May leave a day without trades, which `deleteEmptyDayTotals` deletes. */
export async function subtractDayTotals(tx: Db, chainId: number, counts: readonly DayTotalCount[]): Promise<void> {
  if (counts.length === 0) return
  await tx.$executeRaw`
    UPDATE day_total AS total SET swaps = total.swaps - counted.swaps,
      unpriced = total.unpriced - counted.unpriced, flagged = total.flagged - counted.flagged,
      volume_usd = total.volume_usd - counted.volume_usd
    FROM ${asRows(chainId, counts)} AS counted
    WHERE total.chain_id = counted.chain_id AND total.day = counted.day`
}

export async function deleteEmptyDayTotals(tx: Db, chainId: number, days: readonly number[]): Promise<void> {
  if (days.length === 0) return
  await tx.dayTotal.deleteMany({ where: { chainId, day: { in: days.map(dateOf) }, swaps: 0 } })
}

/** Days since 1970 (UTC), without `end`. */
export async function deleteDayTotals(tx: Db, from: number, end: number): Promise<void> {
  await tx.dayTotal.deleteMany({ where: { day: { gte: dateOf(from), lt: dateOf(end) } } })
}

export async function addSettled(tx: Db, chainId: number, settled: SettledHour): Promise<void> {
  const { hour, swaps, flagged, volume } = settled
  await tx.dayTotal.updateMany({
    where: { chainId, day: dateOf(dayOf(hour)) },
    data: {
      unpriced: { decrement: swaps },
      flagged: { increment: flagged },
      volumeUsd: { increment: new Prisma.Decimal(volume) },
    },
  })
}

function countedTotals(date: string): Prisma.Sql {
  return Prisma.sql`
    SELECT ${date}::date AS day, chain_id, count(*) AS swaps, count(*) FILTER (WHERE volume_usd IS NULL) AS unpriced,
      count(*) FILTER (WHERE flags <> 0) AS flagged, coalesce(sum(volume_usd), 0) AS volume_usd
    FROM ${swapsOfDay(date)} AS of_day GROUP BY chain_id`
}

export function differingTotals(date: string): Prisma.Sql {
  const line = Prisma.sql`concat_ws(' ', swaps, unpriced, flagged, round(volume_usd, 8)) AS line`
  return Prisma.sql`
    SELECT chain_id::text AS key, stored.line AS stored, counted.line AS counted
    FROM (SELECT chain_id, ${line} FROM day_total WHERE day = ${date}::date) AS stored
    FULL JOIN (SELECT chain_id, ${line} FROM (${countedTotals(date)}) AS totals) AS counted USING (chain_id)
    WHERE stored.line IS DISTINCT FROM counted.line ORDER BY 1`
}

export async function recountDayTotals(tx: Db, date: string): Promise<void> {
  await tx.dayTotal.deleteMany({ where: { day: new Date(date) } })
  await tx.$executeRaw`
    INSERT INTO day_total (day, chain_id, swaps, unpriced, flagged, volume_usd) ${countedTotals(date)}`
}

export function dayVolumes(last: string, count: number): Prisma.Sql {
  return Prisma.sql`
    SELECT t.day, round(sum(t.volume_usd), 8)::text AS volume, sum(t.unpriced)::float8 AS unpriced,
      sum(t.flagged)::float8 AS flagged
    FROM day_total t JOIN network n USING (chain_id)
    WHERE n.active AND t.day BETWEEN ${last}::date - (${count}::int - 1) AND ${last}::date
    GROUP BY t.day`
}

function dateOf(day: number): Date {
  return new Date(dateOfDay(day))
}

export async function tradesOfDays(db: Reads, chainId: number, first: number, last: number): Promise<number> {
  const query = Prisma.sql`SELECT coalesce(sum(swaps), 0)::float8 AS swaps FROM day_total
    WHERE chain_id = ${chainId} AND day BETWEEN ${dateOfDay(first)}::date AND ${dateOfDay(last)}::date`
  const [row] = await readRows<{ swaps: number }>(db, query)
  return row?.swaps ?? 0
}

export const COPIED_TOTALS: CopiedRows = {
  columns: { swaps: 'bigint', unpriced: 'bigint', flagged: 'bigint', volume_usd: 'usd' },
  rows: Prisma.sql`SELECT * FROM day_total WHERE chain_id = ${COPIED_CHAIN} AND day = ${COPIED_DAY}::date`,
}
