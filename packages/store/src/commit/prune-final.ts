import type { Address, TickLiquidity } from '@dexfeed/dex'
import type { ClientBase } from 'pg'
import { digitsOf } from '../hex.ts'

/** Deletes headers below the last final block, and versions of these pools' states that a newer final one replaced. */
export async function pruneBlocksAndStates(
  tx: ClientBase,
  chainId: number,
  finalNumber: number,
  pools: Iterable<Address>,
): Promise<void> {
  await tx.query(
    `WITH headers AS (DELETE FROM block WHERE chain_id = $1 AND number < $2)
     DELETE FROM pool_state AS old USING (
       SELECT pool, max(block_number) AS block_number FROM pool_state
       WHERE chain_id = $1 AND block_number <= $2
         AND pool = ANY (ARRAY(SELECT decode(touched, 'hex') FROM unnest($3::text[]) AS touched))
       GROUP BY pool
     ) AS kept
     WHERE old.chain_id = $1 AND old.pool = kept.pool AND old.block_number < kept.block_number`,
    [chainId, finalNumber, [...new Set(pools)].map(digitsOf)],
  )
}

/**
 * Deletes the replaced versions of these ticks. A version that says "no longer initialised" stays while it is the
 * newest, so that a reader that was away learns of it.
 */
export async function prunePoolTicks(
  tx: ClientBase,
  chainId: number,
  finalNumber: number,
  ticks: readonly (Pick<TickLiquidity, 'tick'> & { pool: Address })[],
): Promise<void> {
  if (ticks.length === 0) return
  await tx.query(
    `DELETE FROM pool_tick AS old USING (
       SELECT version.pool, version.tick, max(version.block_number) AS block_number
       FROM (SELECT DISTINCT decode(pool, 'hex') AS pool, tick FROM unnest($3::text[], $4::int[]) AS t (pool, tick))
         AS touched
       JOIN pool_tick AS version ON version.chain_id = $1 AND version.pool = touched.pool
         AND version.tick = touched.tick AND version.block_number <= $2
       GROUP BY version.pool, version.tick
     ) AS kept
     WHERE old.chain_id = $1 AND old.pool = kept.pool AND old.tick = kept.tick AND old.block_number < kept.block_number`,
    [chainId, finalNumber, ticks.map(({ pool }) => digitsOf(pool)), ticks.map(({ tick }) => tick)],
  )
}
