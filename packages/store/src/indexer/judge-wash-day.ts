import type { ClientBase, Pool } from 'pg'
import { inTransaction } from '../transaction.ts'
import { FLAG_POOLS } from './flag-wash-pools.ts'

/** When a pool's day is flagged. Shares are percents of the pool's volume of the day. */
export interface WashThresholds {
  /** Pools with less are not looked at. */
  minVolumeUsd: number
  minSwaps: number
  /** By addresses that traded back what they had traded. */
  roundTripPercent: number
  /** By so many addresses, the busiest. */
  topTraders: number
  topTradersPercent: number
  /** In amounts that one address bought and another sold, to the unit. */
  matchedPercent: number
}

export interface WashDay {
  /** YYYY-MM-DD */
  day: string
  flaggedPools: number
  /** USD, of all flagged pools; stays in the day's total. */
  flaggedVolumeUsd: string
}

/**
 * Judges the pools of the newest day that is due: over, covered from its beginning to its end, final, and not judged
 * yet as its total now is and by these thresholds. What comes out depends on the day's rows alone.
 *
 * @returns null when no day is due
 */
export async function judgeWashDay(pool: Pool, chainId: number, thresholds: WashThresholds): Promise<WashDay | null> {
  const text = JSON.stringify(Object.entries(thresholds).sort(([a], [b]) => (a < b ? -1 : 1)))
  return inTransaction(pool, async (tx) => {
    // The day's statements see one state of it.
    await tx.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ')
    const day = await dueDay(tx, chainId, text)
    if (day === null) return null
    await tx.query('DELETE FROM pool_day_wash WHERE chain_id = $1 AND day = $2', [chainId, day])
    await tx.query(FLAG_POOLS, [
      ...[chainId, day, thresholds.minVolumeUsd, thresholds.minSwaps, thresholds.topTraders],
      ...[thresholds.roundTripPercent, thresholds.topTradersPercent, thresholds.matchedPercent],
    ])
    const { rows } = await tx.query<WashDay>(
      `INSERT INTO wash_day AS judged
       SELECT t.chain_id, t.day, t.swaps, t.volume_usd, $3, flagged.pools, flagged.volume
       FROM day_total t, (
         SELECT count(*) AS pools, coalesce(sum(volume_usd), 0) AS volume FROM pool_day_wash
         WHERE chain_id = $1 AND day = $2
       ) flagged
       WHERE t.chain_id = $1 AND t.day = $2
       ON CONFLICT (chain_id, day) DO UPDATE SET swaps = excluded.swaps, volume_usd = excluded.volume_usd,
         thresholds = excluded.thresholds, flagged_pools = excluded.flagged_pools,
         flagged_volume_usd = excluded.flagged_volume_usd
       RETURNING to_char(day, 'YYYY-MM-DD') AS day, flagged_pools::float8 AS "flaggedPools",
         flagged_volume_usd::text AS "flaggedVolumeUsd"`,
      [chainId, day, text],
    )
    return rows[0] ?? null
  })
}

/** The newest day that was judged. */
export async function lastWashDay(pool: Pool, chainId: number): Promise<WashDay | null> {
  const { rows } = await pool.query<WashDay>(
    `SELECT to_char(day, 'YYYY-MM-DD') AS day, flagged_pools::float8 AS "flaggedPools",
       flagged_volume_usd::text AS "flaggedVolumeUsd"
     FROM wash_day WHERE chain_id = $1 ORDER BY wash_day.day DESC LIMIT 1`,
    [chainId],
  )
  return rows[0] ?? null
}

/** YYYY-MM-DD. A day whose rows have left keeps its judgement. */
async function dueDay(tx: ClientBase, chainId: number, thresholds: string): Promise<string | null> {
  const { rows } = await tx.query<{ day: string }>(
    `SELECT to_char(t.day, 'YYYY-MM-DD') AS day
     FROM day_total t
     CROSS JOIN LATERAL (
       SELECT t.day::timestamp AT TIME ZONE 'UTC' AS begin, (t.day + 1)::timestamp AT TIME ZONE 'UTC' AS end
     ) span
     JOIN network n USING (chain_id)
     LEFT JOIN wash_day w USING (chain_id, day)
     WHERE t.chain_id = $1
       AND (w.day IS NULL OR w.swaps <> t.swaps OR w.volume_usd <> t.volume_usd OR w.thresholds <> $2)
       AND EXISTS (
         SELECT FROM covered_range c WHERE c.chain_id = $1 AND (c.from_time <= span.begin OR c.from_block = 0)
           AND c.to_time >= span.end
       )
       AND span.end <= (SELECT max(b.block_time) FROM block b WHERE b.chain_id = $1 AND b.number <= n.final_number)
       AND EXISTS (SELECT FROM swap s WHERE s.chain_id = $1 AND s.block_time >= span.begin AND s.block_time < span.end)
     ORDER BY t.day DESC LIMIT 1`,
    [chainId, thresholds],
  )
  return rows[0]?.day ?? null
}
