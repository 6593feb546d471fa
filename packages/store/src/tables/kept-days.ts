import { dateOfDay, dayOf } from '@dexfeed/dex'
import type { Db } from '../database/transaction.ts'
import { type KeptDays, Prisma } from '../generated/client.ts'
import { readRows, type Stored, secondsOf } from '../stored.ts'

export type KeptDaysRow = Pick<Stored<KeptDays>, 'since'>

/** Selects the rows, at most one. */
export const KEPT_DAYS = Prisma.sql`SELECT since FROM kept_days`

/** Returns the first day (since 1970, UTC) whose rows are kept by the rows of the table; null if all are. */
export function toKeptSince([row]: readonly KeptDaysRow[]): number | null {
  return row === undefined ? null : dayOf(secondsOf(row.since))
}

/** Returns the first day (since 1970, UTC) whose rows are kept; null if all are. */
export async function keptSince(db: Db): Promise<number | null> {
  return toKeptSince(await readRows<KeptDaysRow>(db, KEPT_DAYS))
}

/** Returns whether the rows of a day (since 1970, UTC) are kept. */
export async function isKept(db: Db, day: number): Promise<boolean> {
  return day >= ((await keptSince(db)) ?? day)
}

/** The condition that rows with this time are of a kept day: of any other day a part of the tables may be dropped. */
export function isOfKeptDay(time: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`${time} >= coalesce(
    (SELECT since::timestamp AT TIME ZONE 'UTC' FROM kept_days), '-infinity'::timestamptz)`
}

/** Notes that rows of days before this one are no longer kept; the day never goes back. */
export async function setKeptSince(db: Db, day: number): Promise<void> {
  await db.$executeRaw`
    INSERT INTO kept_days AS stored (since) VALUES (${dateOfDay(day)}::date)
    ON CONFLICT (id) DO UPDATE SET since = greatest(stored.since, excluded.since)`
}
