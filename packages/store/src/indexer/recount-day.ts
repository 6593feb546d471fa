import { dateOfDay } from '@dexfeed/dex'
import type { ClientBase, Pool } from 'pg'
import { lockDays } from '../commit/transaction-locks.ts'
import { inTransaction } from '../transaction.ts'

/** A counter of a day that is not what the day's rows add up to. */
export interface DayDifference {
  day: string
  table: 'day_total' | 'day_trader' | 'day_address_count'
  /** Chain id or trader; empty for a count over all networks. */
  key: string
  stored: string | null
  counted: string | null
}

/** Differences of one table that are told at most. */
const MANY = 1_000

const OF_DAY = `block_time >= ($1::date)::timestamp AT TIME ZONE 'UTC'
  AND block_time < ($1::date + 1)::timestamp AT TIME ZONE 'UTC'`

const TOTALS = `SELECT $1::date AS day, chain_id, count(*) AS swaps, count(*) FILTER (WHERE volume_usd IS NULL) AS unpriced,
    count(*) FILTER (WHERE flags <> 0) AS flagged, coalesce(sum(volume_usd), 0) AS volume_usd
  FROM swap WHERE ${OF_DAY} GROUP BY chain_id`

const TRADERS = `SELECT $1::date AS day, trader, count(*) AS swaps
  FROM swap WHERE ${OF_DAY} AND trader IS NOT NULL GROUP BY trader`

const COUNT = `SELECT $1::date AS day, count(DISTINCT trader) AS addresses FROM swap WHERE ${OF_DAY}`

const COMPARISONS = {
  day_total: `SELECT chain_id::text AS key, stored.line AS stored, counted.line AS counted
    FROM (SELECT chain_id, concat_ws(' ', swaps, unpriced, flagged, round(volume_usd, 8)) AS line
      FROM day_total WHERE day = $1) AS stored
    FULL JOIN (SELECT chain_id, concat_ws(' ', swaps, unpriced, flagged, round(volume_usd, 8)) AS line
      FROM (${TOTALS}) AS totals) AS counted USING (chain_id)
    WHERE stored.line IS DISTINCT FROM counted.line ORDER BY 1`,
  day_trader: `SELECT '0x' || encode(trader, 'hex') AS key, stored.swaps::text AS stored, counted.swaps::text AS counted
    FROM (SELECT trader, swaps FROM day_trader WHERE day = $1) AS stored
    FULL JOIN (${TRADERS}) AS counted USING (trader)
    WHERE stored.swaps IS DISTINCT FROM counted.swaps ORDER BY 1 LIMIT ${MANY}`,
  day_address_count: `SELECT '' AS key, stored.addresses::text AS stored, counted.addresses::text AS counted
    FROM (${COUNT}) AS counted LEFT JOIN day_address_count AS stored USING (day)
    WHERE coalesce(stored.addresses, 0) <> counted.addresses`,
}

/** Compares the counters of a day (since 1970, UTC) over all networks with its rows. */
export async function compareDay(pool: Pool, day: number): Promise<DayDifference[]> {
  const date = dateOfDay(day)
  const differences: DayDifference[] = []
  for (const table of ['day_total', 'day_trader', 'day_address_count'] as const) {
    // One statement, and so one snapshot: commits move rows and counters together.
    const { rows } = await pool.query<Omit<DayDifference, 'day' | 'table'>>(COMPARISONS[table], [date])
    differences.push(...rows.map((row) => ({ day: date, table, ...row })))
  }
  return differences
}

/**
 * Makes the counters of a day anew from its rows, over all networks, in one transaction. Holds the day's lock: whoever
 * has moved its counters has committed before, and rows of those that will are not seen yet.
 */
export async function recountDay(pool: Pool, day: number): Promise<void> {
  const date = dateOfDay(day)
  await inTransaction(pool, async (tx) => {
    await lockDays(tx, [day], 'taking back')
    await replace(tx, 'day_total', 'day, chain_id, swaps, unpriced, flagged, volume_usd', TOTALS, date)
    await replace(tx, 'day_trader', 'day, trader, swaps', TRADERS, date)
    await replace(tx, 'day_address_count', 'day, addresses', `SELECT * FROM (${COUNT}) AS c WHERE addresses > 0`, date)
  })
}

async function replace(tx: ClientBase, table: string, columns: string, query: string, date: string): Promise<void> {
  await tx.query(`DELETE FROM ${table} WHERE day = $1`, [date])
  await tx.query(`INSERT INTO ${table} (${columns}) ${query}`, [date])
}

/** The days (since 1970, UTC) on which a network has rows in a range of blocks: one look into each day's partition. */
export async function daysOfRange(
  pool: Pool,
  chainId: number,
  { from, to }: { from: number; to: number },
): Promise<number[]> {
  const { rows } = await pool.query<{ day: number }>(
    `SELECT stored.day - DATE '1970-01-01' AS day
     FROM (SELECT to_date(right(relname, 8), 'YYYYMMDD') AS day
       FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid WHERE inhparent = 'swap'::regclass) AS stored
     WHERE EXISTS (SELECT FROM swap WHERE chain_id = $1 AND block_number BETWEEN $2 AND $3
       AND block_time >= stored.day::timestamp AT TIME ZONE 'UTC'
       AND block_time < (stored.day + 1)::timestamp AT TIME ZONE 'UTC')
     ORDER BY 1`,
    [chainId, from, to],
  )
  return rows.map(({ day }) => day)
}
