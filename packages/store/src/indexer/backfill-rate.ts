import type { Pool } from 'pg'

/** Notes how many blocks of history a second are being covered now. */
export async function writeBackfillRate(pool: Pool, chainId: number, blocksPerS: number): Promise<void> {
  await pool.query(
    `INSERT INTO backfill_rate (chain_id, blocks_per_s, measured_at) VALUES ($1, $2, now())
     ON CONFLICT (chain_id) DO UPDATE SET blocks_per_s = excluded.blocks_per_s, measured_at = excluded.measured_at`,
    [chainId, blocksPerS],
  )
}
