import type { TickLiquidityAt } from '@dexfeed/dex'
import type { ClientBase } from 'pg'
import { tickColumns } from './tick-columns.ts'

/**
 * Adds changes of ticks to their newest versions: one new version for every tick and block, each on top of the one
 * before. The newest versions are found by the primary key.
 */
export async function addTickDeltas(
  tx: ClientBase,
  chainId: number,
  revision: number,
  deltas: readonly TickLiquidityAt[],
): Promise<void> {
  if (deltas.length === 0) return
  await tx.query(
    `WITH delta AS (
       SELECT decode(pool, 'hex') AS pool, tick, block_number, sum(gross) AS gross, sum(net) AS net
       FROM unnest($3::text[], $4::int[], $5::bigint[], $6::numeric[], $7::numeric[])
         AS new (pool, tick, block_number, gross, net)
       GROUP BY 1, 2, 3
     ), newest AS (
       SELECT touched.pool, touched.tick, version.gross, version.net
       FROM (SELECT DISTINCT pool, tick FROM delta) AS touched
       CROSS JOIN LATERAL (
         SELECT gross, net FROM pool_tick
         WHERE chain_id = $1 AND pool = touched.pool AND tick = touched.tick
         ORDER BY block_number DESC LIMIT 1
       ) AS version
     )
     INSERT INTO pool_tick (chain_id, revision, pool, tick, block_number, gross, net)
     SELECT $1, $2, pool, tick, delta.block_number,
       coalesce(newest.gross, 0) + sum(delta.gross) OVER so_far, coalesce(newest.net, 0) + sum(delta.net) OVER so_far
     FROM delta LEFT JOIN newest USING (pool, tick)
     WINDOW so_far AS (PARTITION BY pool, tick ORDER BY delta.block_number)
     ON CONFLICT (chain_id, pool, tick, block_number)
       DO UPDATE SET revision = excluded.revision, gross = excluded.gross, net = excluded.net`,
    [chainId, revision, ...tickColumns(deltas)],
  )
}
