import { dateOfDay, dayOf } from '@dexfeed/dex'
import type { Db } from '../database/transaction.ts'
import { secondsOf } from '../stored.ts'

/** The first day (since 1970, UTC) whose rows are kept; null while all are. The table has one row at most. */
export async function keptSince(db: Db): Promise<number | null> {
  const row = await db.keptDays.findUnique({ where: { id: 1 } })
  return row && dayOf(secondsOf(row.since))
}

/** Whether the rows of a day (since 1970, UTC) are kept. */
export async function isKept(db: Db, day: number): Promise<boolean> {
  return day >= ((await keptSince(db)) ?? day)
}

/** Notes that the rows of days before this one are no longer kept; it never goes back. */
export async function keepSince(db: Db, day: number): Promise<void> {
  await db.$executeRaw`
    INSERT INTO kept_days AS stored (since) VALUES (${dateOfDay(day)}::date)
    ON CONFLICT (id) DO UPDATE SET since = greatest(stored.since, excluded.since)`
}
