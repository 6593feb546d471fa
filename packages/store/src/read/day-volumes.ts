import type { PoolClient } from 'pg'

/** What happened on one UTC day. */
export interface DayVolume {
  /** YYYY-MM-DD */
  day: string
  /** Distinct traders over all networks. */
  addresses: number
  /** USD, eight fractional digits. */
  volumeUsd: string
  /** Trades without a value, and those whose value is marked. */
  unpriced: number
  flagged: number
}

/** The `count` days that end with `last` (YYYY-MM-DD), newest first (day_total_pkey, day_address_count_pkey). */
export async function readDayVolumes(client: PoolClient, last: string, count: number): Promise<DayVolume[]> {
  const { rows } = await client.query<DayVolume>(
    `SELECT
       to_char(d.day, 'YYYY-MM-DD') AS day,
       coalesce((SELECT a.addresses FROM day_address_count a WHERE a.day = d.day), 0)::float8 AS addresses,
       round(coalesce((
         SELECT sum(t.volume_usd) FROM day_total t JOIN network n USING (chain_id) WHERE n.active AND t.day = d.day
       ), 0), 8)::text AS "volumeUsd",
       ${countOf('unpriced')}, ${countOf('flagged')}
     FROM (SELECT $1::date - age AS day FROM generate_series(0, $2::int - 1) age) d
     ORDER BY d.day DESC`,
    [last, count],
  )
  return rows
}

function countOf(column: 'unpriced' | 'flagged'): string {
  return `coalesce((
    SELECT sum(t.${column}) FROM day_total t JOIN network n USING (chain_id) WHERE n.active AND t.day = d.day
  ), 0)::float8 AS ${column}`
}
