import { dateOfDay, dayOf, startOfDay } from '@dexfeed/dex'
import type { Db, Reads } from '../database/transaction.ts'
import { type KeptDays, Prisma } from '../generated/client.ts'
import { readRows, type Stored, secondsOf } from '../stored.ts'

export type KeptDaysRow = Pick<Stored<KeptDays>, 'since'>

export const KEPT_DAYS = Prisma.sql`SELECT since FROM kept_days`

function toKeptSince([row]: readonly KeptDaysRow[]): number | null {
  return row === undefined ? null : dayOf(secondsOf(row.since))
}

export async function keptSince(db: Reads): Promise<number | null> {
  return toKeptSince(await readRows<KeptDaysRow>(db, KEPT_DAYS))
}

export async function keptSinceTime(db: Reads): Promise<number | null> {
  return toKeptSinceTime(await readRows<KeptDaysRow>(db, KEPT_DAYS))
}

export function toKeptSinceTime(rows: readonly KeptDaysRow[]): number | null {
  const day = toKeptSince(rows)
  return day === null ? null : startOfDay(day)
}

export async function isKept(db: Db, day: number): Promise<boolean> {
  return day >= ((await keptSince(db)) ?? day)
}

/** Accepts only kept days; other days may be partly dropped. */
export function isOfKeptDay(time: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`${time} >= coalesce(
    (SELECT since::timestamp AT TIME ZONE 'UTC' FROM kept_days), '-infinity'::timestamptz)`
}

export async function setKeptSince(db: Db, day: number): Promise<void> {
  await db.$executeRaw`
    INSERT INTO kept_days AS stored (since) VALUES (${dateOfDay(day)}::date)
    ON CONFLICT (id) DO UPDATE SET since = greatest(stored.since, excluded.since)`
}

/** For `restoreDays`: all else relies on its locks. */
export async function lowerKeptSince(tx: Db, day: number): Promise<void> {
  await tx.$executeRaw`UPDATE kept_days SET since = ${dateOfDay(day)}::date WHERE since > ${dateOfDay(day)}::date`
}
