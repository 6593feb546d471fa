import { dateOfDay } from '@dexfeed/dex'
import type { Database } from '../database/database.ts'
import { lockDays } from '../database/locks.ts'
import { type Db, inTransaction } from '../database/transaction.ts'
import { readTogether } from '../stored.ts'
import { differingTotals, recountDayTotals } from '../tables/day-total.ts'
import { differingAddressCounts, differingTraders, recountDayTraders } from '../tables/day-trader.ts'

/** A counter of a day that is not what the day's rows add up to. */
export interface DayDifference {
  day: string
  table: 'day_total' | 'day_trader' | 'day_address_count'
  /** Chain id, trader, or the bits of a set of networks. */
  key: string
  stored: string | null
  counted: string | null
}

/** Differing traders that are given at most. */
const MANY = 1_000

/** Compares the counters of a day (since 1970, UTC) over all networks with its rows, as of one moment. */
export async function compareDay(db: Db, day: number): Promise<DayDifference[]> {
  const date = dateOfDay(day)
  const found = await readTogether<Record<DayDifference['table'], Omit<DayDifference, 'day' | 'table'>>>(db, {
    day_total: differingTotals(date),
    day_trader: differingTraders(date, MANY),
    day_address_count: differingAddressCounts(date),
  })
  const tables = ['day_total', 'day_trader', 'day_address_count'] as const
  return tables.flatMap((table) => found[table].map((row) => ({ day: date, table, ...row })))
}

/**
 * Makes the counters of a day anew from its rows, over all networks, in one transaction. Holds the day's lock: whoever
 * has moved its counters has committed before, and rows of those that will are not seen yet.
 */
export async function recountDay(database: Pick<Database, 'pool' | 'prisma'>, day: number): Promise<void> {
  const date = dateOfDay(day)
  await inTransaction(database, async (tx) => {
    await lockDays(tx, [day], 'exclusive')
    await recountDayTotals(tx, date)
    await recountDayTraders(tx, date)
  })
}
