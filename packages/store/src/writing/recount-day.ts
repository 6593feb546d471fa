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
import { differingTokenCandles, recountTokenCandles } from '../tables/rollups/token-candle.ts'

/** In one order. */
const CHAIN_IDS = NETWORK_NAMES.map((name) => NETWORKS[name].chainId).sort((a, b) => a - b)

const TABLES = ['day_total', 'day_trader', 'day_address_count', 'hour_volume', 'pool_candle', 'token_candle'] as const

/** A counter of a day that is not what the day's rows add up to. */
export interface DayDifference {
  day: string
  table: (typeof TABLES)[number]
  /** Chain id, trader, or the bits of a set of networks; of an hour or a candle what it is of. */
  key: string
  stored: string | null
  counted: string | null
}

/** Differing traders and candles that are given at most. */
const MANY = 1_000

/**
 * Compares the counters of a day (since 1970, UTC) over all networks with its rows, as of one moment. Those of a day
 * whose rows are no longer kept are right: they say what the rows were.
 */
export async function compareDay(db: Db, day: number): Promise<DayDifference[]> {
  const date = dateOfDay(day)
  const found = await readTogether<Record<DayDifference['table'], Omit<DayDifference, 'day' | 'table'>>>(db, {
    day_total: differingTotals(date),
    day_trader: differingTraders(date, MANY),
    day_address_count: differingAddressCounts(date),
    hour_volume: differingHours(date),
    pool_candle: differingPoolCandles(date, MANY),
    token_candle: differingTokenCandles(date, MANY),
  })
  // Asked last: the rows may have begun to leave meanwhile.
  if (!(await isKept(db, day))) return []
  return TABLES.flatMap((table) => found[table].map((row) => ({ day: date, table, ...row })))
}

/**
 * Makes the counters of a day, and its candles, anew from its rows, over all networks, in one transaction. Holds the
 * day's lock: whoever has moved its counters has committed before, and rows of those that will are not seen yet. Candles
 * are written before that lock is taken: so that of the rows of every network comes first. Rows leave before, and then
 * nothing is made anew, or after.
 */
export async function recountDay(database: Pick<Database, 'pool' | 'prisma'>, day: number): Promise<void> {
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
    await recountTokenCandles(tx, date)
  })
}
