import { usdE8Of } from '@dexfeed/dex'
import type { ClientBase } from 'pg'
import { hexOf } from '../hex.ts'
import type { DayCounts, DayTotalCount } from './day-counts.ts'

interface Row {
  day: number
  trader: string | null
  swaps: string
  unpriced: string
  flagged: string
  volume: string
}

/**
 * Deletes a network's trades above a block, up to and with another one where it is given (by the primary key of each
 * partition).
 *
 * @returns what they had counted
 */
export async function deleteSwapsAbove(
  tx: ClientBase,
  chainId: number,
  block: number,
  upTo = Number.MAX_SAFE_INTEGER,
): Promise<DayCounts> {
  const { rows } = await tx.query<Row>(
    `WITH gone AS (
       DELETE FROM swap WHERE chain_id = $1 AND block_number > $2 AND block_number <= $3
       RETURNING block_time, trader, volume_usd, flags
     )
     SELECT floor(extract(epoch FROM block_time) / 86400)::int AS day, encode(trader, 'hex') AS trader,
       count(*) AS swaps, count(*) FILTER (WHERE volume_usd IS NULL) AS unpriced,
       count(*) FILTER (WHERE flags <> 0) AS flagged, coalesce(sum(volume_usd), 0)::text AS volume
     FROM gone GROUP BY 1, 2`,
    [chainId, block, upTo],
  )
  return {
    totals: totalsOf(rows),
    traders: rows.flatMap(({ day, trader, swaps }) =>
      trader === null ? [] : [{ day, trader: hexOf(trader), swaps: Number(swaps) }],
    ),
  }
}

function totalsOf(rows: readonly Row[]): DayTotalCount[] {
  const totals = new Map<number, DayTotalCount>()
  for (const row of rows) {
    const { day } = row
    const total = totals.get(day) ?? { day, swaps: 0, unpriced: 0, flagged: 0, volumeE8: 0n }
    totals.set(day, total)
    total.swaps += Number(row.swaps)
    total.unpriced += Number(row.unpriced)
    total.flagged += Number(row.flagged)
    total.volumeE8 += usdE8Of(row.volume)
  }
  return [...totals.values()]
}
