import type { Pool } from 'pg'

/** Up to which block a network's final blocks were audited; null before the first. */
export async function readAudited(pool: Pool, chainId: number): Promise<number | null> {
  const { rows } = await pool.query<{ number: number }>(
    'SELECT number::float8 AS number FROM audit WHERE chain_id = $1',
    [chainId],
  )
  return rows[0]?.number ?? null
}

export async function writeAudited(pool: Pool, chainId: number, number: number): Promise<void> {
  await pool.query(
    `INSERT INTO audit (chain_id, number) VALUES ($1, $2) ON CONFLICT (chain_id) DO UPDATE SET number = excluded.number`,
    [chainId, number],
  )
}
