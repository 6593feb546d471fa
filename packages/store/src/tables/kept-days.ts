import { dateOfDay, dayOf } from '@dexfeed/dex'
import type { Db } from '../database/transaction.ts'
import { Prisma } from '../generated/client.ts'
import { secondsOf } from '../stored.ts'

/** Returns the first day (since 1970, UTC) whose rows are kept; null if all are. The table has at most one row. */
export async function keptSince(db: Db): Promise<number | null> {
  const row = await db.keptDays.findUnique({ where: { id: 1 } })
  return row && dayOf(secondsOf(row.since))
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
