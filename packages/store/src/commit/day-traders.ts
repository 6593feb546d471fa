import { dateOfDay } from '@dexfeed/dex'
import type { ClientBase } from 'pg'
import { digitsOf } from '../hex.ts'
import type { DayTraderCount } from './day-counts.ts'

const COUNTED = `SELECT day, decode(trader, 'hex') AS trader, swaps
  FROM unnest($1::date[], $2::text[], $3::bigint[]) AS counted (day, trader, swaps)`

/**
 * Adds trades to their traders' days, in one order for all commits, and counts the traders that are new on a day: a
 * row that holds just what was added was not there before, because none stays at zero.
 */
export async function addDayTraders(tx: ClientBase, counts: readonly DayTraderCount[]): Promise<void> {
  if (counts.length === 0) return
  await tx.query(
    `WITH counted AS MATERIALIZED (${COUNTED}), written AS (
       INSERT INTO day_trader AS stored (day, trader, swaps)
       SELECT day, trader, swaps FROM counted ORDER BY day, trader
       ON CONFLICT (day, trader) DO UPDATE SET swaps = stored.swaps + excluded.swaps
       RETURNING day, trader, swaps
     )
     INSERT INTO day_address_count AS count (day, addresses)
     SELECT day, count(*) FROM written JOIN counted USING (day, trader, swaps) GROUP BY day ORDER BY day
     ON CONFLICT (day) DO UPDATE SET addresses = count.addresses + excluded.addresses`,
    columns(counts),
  )
}

/** Takes trades back from their traders' days; a trader of whom nothing is left no longer counts. */
export async function subtractDayTraders(tx: ClientBase, counts: readonly DayTraderCount[]): Promise<void> {
  if (counts.length === 0) return
  await tx.query(
    `WITH counted AS MATERIALIZED (${COUNTED}), fewer AS (
       UPDATE day_trader AS stored SET swaps = stored.swaps - counted.swaps FROM counted
       WHERE stored.day = counted.day AND stored.trader = counted.trader AND stored.swaps > counted.swaps
     ), gone AS (
       DELETE FROM day_trader AS stored USING counted
       WHERE stored.day = counted.day AND stored.trader = counted.trader AND stored.swaps = counted.swaps
       RETURNING stored.day
     ), lost AS (SELECT day, count(*) AS addresses FROM gone GROUP BY day)
     UPDATE day_address_count AS count SET addresses = count.addresses - lost.addresses
     FROM lost WHERE count.day = lost.day`,
    columns(counts),
  )
}

/** A day of which everything was taken back is as if it had never been indexed. */
export async function deleteEmptyAddressCounts(tx: ClientBase, days: readonly number[]): Promise<void> {
  if (days.length === 0) return
  await tx.query('DELETE FROM day_address_count WHERE day = ANY ($1::date[]) AND addresses = 0', [days.map(dateOfDay)])
}

function columns(counts: readonly DayTraderCount[]) {
  // One text per day, not per trader.
  const dates = new Map([...new Set(counts.map(({ day }) => day))].map((day) => [day, dateOfDay(day)]))
  return [
    arrayText(counts.map(({ day }) => dates.get(day))),
    arrayText(counts.map(({ trader }) => digitsOf(trader))),
    arrayText(counts.map(({ swaps }) => swaps)),
  ]
}

/** An array as Postgres writes it; the driver would look at each of the thousands of elements for something to escape. */
function arrayText(values: readonly (string | number | undefined)[]): string {
  return `{${values.join()}}`
}
