import type { ClientBase } from 'pg'
import type { DayCounts } from './day-counts.ts'
import { addDayTotals, deleteEmptyDayTotals, subtractDayTotals } from './day-totals.ts'
import { addDayTraders, deleteEmptyAddressCounts, subtractDayTraders } from './day-traders.ts'
import { type LockMode, lockDays } from './transaction-locks.ts'

/** Moves what the rows of the days add up to, and their traders, by what left and what came. */
export async function moveCounters(
  tx: ClientBase,
  chainId: number,
  mode: LockMode,
  gone: DayCounts,
  added: DayCounts,
): Promise<void> {
  const goneDays = gone.totals.map(({ day }) => day)
  await lockDays(tx, [...goneDays, ...added.totals.map(({ day }) => day)], mode)
  await subtractDayTotals(tx, chainId, gone.totals)
  await addDayTotals(tx, chainId, added.totals)
  await deleteEmptyDayTotals(tx, chainId, goneDays)
  await subtractDayTraders(tx, gone.traders)
  await addDayTraders(tx, added.traders)
  await deleteEmptyAddressCounts(tx, goneDays)
}
