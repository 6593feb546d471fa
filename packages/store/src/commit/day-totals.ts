import { dateOfDay, usdText } from '@dexfeed/dex'
import type { ClientBase } from 'pg'
import type { DayTotalCount } from './day-counts.ts'

const COUNTED = `unnest($2::date[], $3::bigint[], $4::bigint[], $5::bigint[], $6::numeric[])
  AS counted (day, swaps, unpriced, flagged, volume_usd)`

export async function addDayTotals(tx: ClientBase, chainId: number, counts: readonly DayTotalCount[]): Promise<void> {
  if (counts.length === 0) return
  await tx.query(
    `INSERT INTO day_total AS total (chain_id, day, swaps, unpriced, flagged, volume_usd)
     SELECT $1, day, swaps, unpriced, flagged, volume_usd FROM ${COUNTED}
     ORDER BY day
     ON CONFLICT (day, chain_id) DO UPDATE SET swaps = total.swaps + excluded.swaps,
       unpriced = total.unpriced + excluded.unpriced, flagged = total.flagged + excluded.flagged,
       volume_usd = total.volume_usd + excluded.volume_usd`,
    [chainId, ...columns(counts)],
  )
}

export async function subtractDayTotals(
  tx: ClientBase,
  chainId: number,
  counts: readonly DayTotalCount[],
): Promise<void> {
  if (counts.length === 0) return
  await tx.query(
    `UPDATE day_total AS total SET swaps = total.swaps - counted.swaps,
       unpriced = total.unpriced - counted.unpriced, flagged = total.flagged - counted.flagged,
       volume_usd = total.volume_usd - counted.volume_usd
     FROM ${COUNTED}
     WHERE total.chain_id = $1 AND total.day = counted.day`,
    [chainId, ...columns(counts)],
  )
}

/** A day of which everything was taken back is as if it had never been indexed. */
export async function deleteEmptyDayTotals(tx: ClientBase, chainId: number, days: readonly number[]): Promise<void> {
  if (days.length === 0) return
  await tx.query('DELETE FROM day_total WHERE chain_id = $1 AND day = ANY ($2::date[]) AND swaps = 0', [
    chainId,
    days.map(dateOfDay),
  ])
}

function columns(counts: readonly DayTotalCount[]) {
  return [
    counts.map(({ day }) => dateOfDay(day)),
    counts.map(({ swaps }) => swaps),
    counts.map(({ unpriced }) => unpriced),
    counts.map(({ flagged }) => flagged),
    counts.map(({ volumeE8 }) => usdText(volumeE8)),
  ] as const
}
