import type { NetworkName, PoolAddress } from '@dexfeed/dex'
import type { PoolClient } from 'pg'

/** A pool with marks of wash trading on one day. Volumes are USD with eight fractional digits. */
export interface WashPool {
  /** YYYY-MM-DD */
  day: string
  network: NetworkName
  pool: PoolAddress
  swaps: number
  traders: number
  volumeUsd: string
  roundTripUsd: string
  topTradersUsd: string
  matchedUsd: string
  /** WASH_ROUND_TRIPS, WASH_FEW_TRADERS, WASH_MATCHED */
  flags: number
}

/** A day of a network whose pools were judged. */
export interface WashDayFlags {
  day: string
  network: NetworkName
  volumeUsd: string
  flaggedVolumeUsd: string
  flaggedPools: number
}

/** The judged days among the `count` that end with `last`, newest first, of the indexed networks (wash_day_pkey). */
export async function readWashDays(client: PoolClient, last: string, count: number): Promise<WashDayFlags[]> {
  const { rows } = await client.query<WashDayFlags>(
    `SELECT to_char(w.day, 'YYYY-MM-DD') AS day, n.name AS network, round(w.volume_usd, 8)::text AS "volumeUsd",
       round(w.flagged_volume_usd, 8)::text AS "flaggedVolumeUsd", w.flagged_pools::float8 AS "flaggedPools"
     FROM wash_day w JOIN network n USING (chain_id)
     WHERE n.active AND w.day BETWEEN $1::date - ($2::int - 1) AND $1::date
     ORDER BY w.day DESC, w.chain_id`,
    [last, count],
  )
  return rows
}

/** The flagged pools of those days, newest day first, then by volume (pool_day_wash_pkey); at most `limit`. */
export async function readWashPools(
  client: PoolClient,
  last: string,
  count: number,
  limit: number,
): Promise<WashPool[]> {
  const usd = (column: string, name: string) => `round(p.${column}, 8)::text AS "${name}"`
  const { rows } = await client.query<WashPool>(
    `SELECT to_char(p.day, 'YYYY-MM-DD') AS day, n.name AS network, '0x' || encode(p.pool, 'hex') AS pool,
       p.swaps::float8 AS swaps, p.traders::float8 AS traders, ${usd('volume_usd', 'volumeUsd')},
       ${usd('round_trip_usd', 'roundTripUsd')}, ${usd('top_traders_usd', 'topTradersUsd')},
       ${usd('matched_usd', 'matchedUsd')}, p.flags
     FROM pool_day_wash p JOIN network n USING (chain_id)
     WHERE n.active AND p.day BETWEEN $1::date - ($2::int - 1) AND $1::date
     ORDER BY p.day DESC, p.volume_usd DESC, p.chain_id, p.pool LIMIT $3`,
    [last, count, limit],
  )
  return rows
}
