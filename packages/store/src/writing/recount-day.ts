import { dateOfDay, NETWORK_NAMES, NETWORKS } from '@dexfeed/dex'
import type { Database } from '../database/database.ts'
import { lockDays, lockPartitions, lockRows } from '../database/locks.ts'
import { type Db, inTransaction } from '../database/transaction.ts'
import { readTogether } from '../stored.ts'
import { differingTotals, recountDayTotals } from '../tables/day-total.ts'
import { differingAddressCounts, differingTraders, recountDayTraders } from '../tables/day-trader.ts'
import { isKept } from '../tables/kept-days.ts'
import { differingHours, recountHours } from '../tables/rollups/hour-volume.ts'
import { differingPoolCandles, recountPoolCandles } from '../tables/rollups/pool-candle.ts'
import { differingTokenFlows, recountTokenFlows } from '../tables/rollups/token-flow.ts'
import { differingTokenVolumes, recountTokenVolumes } from '../tables/rollups/token-volume.ts'

/** Sorted, so that locks are always taken in the same order. */
const CHAIN_IDS = NETWORK_NAMES.map((name) => NETWORKS[name].chainId).sort((a, b) => a - b)

const TABLES = [
  'day_total',
  'day_trader',
  'day_address_count',
  'hour_volume',
  'pool_candle',
  'token_volume',
  'token_flow',
] as const

export interface DayDifference {
  day: string
  table: (typeof TABLES)[number]
  key: string
  stored: string | null
  counted: string | null
}

const MANY = 1_000

/** Compares all networks in one snapshot. A day (since 1970, UTC) whose rows are no longer kept has no differences. */
export async function compareDay(db: Db, day: number): Promise<DayDifference[]> {
  const date = dateOfDay(day)
  const found = await readTogether<Record<DayDifference['table'], Omit<DayDifference, 'day' | 'table'>>>(db, {
    day_total: differingTotals(date),
    day_trader: differingTraders(date, MANY),
    day_address_count: differingAddressCounts(date),
    hour_volume: differingHours(date),
    pool_candle: differingPoolCandles(date, MANY),
    token_volume: differingTokenVolumes(date, MANY),
    token_flow: differingTokenFlows(date, MANY),
  })
  // Checked last, because the rows may have been dropped meanwhile.
  if (!(await isKept(db, day))) return []
  return TABLES.flatMap((table) => found[table].map((row) => ({ day: date, table, ...row })))
}

/**
 * Under the day's lock, every transaction that moved the day's counters has committed, and no rows of later ones are
 * visible yet. Commits write candles before they take that lock, so the rows of every network are locked first.
 */
export async function recountDay(database: Database, day: number): Promise<void> {
  const date = dateOfDay(day)
  await inTransaction(database, async (tx) => {
    await lockPartitions(tx)
    if (!(await isKept(tx, day))) return
    for (const chainId of CHAIN_IDS) await lockRows(tx, chainId, 'exclusive')
    await lockDays(tx, [day], 'exclusive')
    await recountDayTotals(tx, date)
    await recountDayTraders(tx, date)
    await recountHours(tx, date)
    await recountPoolCandles(tx, date)
    await recountTokenVolumes(tx, date)
    await recountTokenFlows(tx, date)
  })
}
