import { NETWORKS, type NetworkName } from '@dexfeed/dex'
import type { PoolClient } from 'pg'

/** How far block times may run against block numbers, in seconds. */
const MARGIN_S = 600
const DAY_S = 86_400

/**
 * A block number of `network` before which no swap is as young as `since` (seconds); null when none is that young.
 * There is no index on time: halving the block numbers of the days in question finds it along swap_pkey, one row a
 * step. Everything in those partitions passes the condition on block_time, so no step reads on.
 */
export async function findWindowStart(client: PoolClient, network: NetworkName, since: number): Promise<number | null> {
  const target = since - MARGIN_S
  const firstDay = target - (target % DAY_S)
  const { rows } = await client.query<{ start: number }>(
    `WITH RECURSIVE probe(low, high) AS (
       SELECT
         (SELECT block_number FROM swap WHERE chain_id = $1 AND block_time >= to_timestamp($2)
          ORDER BY block_number LIMIT 1),
         (SELECT block_number FROM swap WHERE chain_id = $1 AND block_time >= to_timestamp($2)
          ORDER BY block_number DESC LIMIT 1)
       UNION ALL
       SELECT
         CASE WHEN next.block_time < to_timestamp($3) THEN next.block_number + 1 ELSE probe.low END,
         CASE WHEN next.block_time < to_timestamp($3) THEN probe.high ELSE (probe.low + probe.high) / 2 END
       FROM probe CROSS JOIN LATERAL (
         SELECT block_number, block_time FROM swap
         WHERE chain_id = $1 AND block_time >= to_timestamp($2) AND block_number >= (probe.low + probe.high) / 2
         ORDER BY block_number LIMIT 1
       ) next
       WHERE probe.low < probe.high
     )
     SELECT max(low)::float8 AS start FROM probe WHERE low IS NOT NULL`,
    [NETWORKS[network].chainId, firstDay, target],
  )
  return rows[0]?.start ?? null
}
