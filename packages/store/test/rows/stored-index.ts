import type { Pool } from 'pg'

const STATEMENTS = {
  totals: `SELECT concat_ws(' ', day, chain_id, swaps, unpriced, flagged, (volume_usd * 100000000)::numeric(200, 0)) AS line
    FROM day_total`,
  traders: `SELECT concat_ws(' ', day, '0x' || encode(trader, 'hex'), networks) AS line FROM day_trader`,
  addresses: `SELECT concat_ws(' ', day, networks, addresses) AS line FROM day_address_count`,
  ranges: `SELECT concat_ws(' ', chain_id, from_block, to_block) AS line FROM covered_range`,
  states: `SELECT concat_ws(' ', chain_id, '0x' || encode(pool, 'hex'), block_number, reserve0, reserve1) AS line
    FROM pool_state`,
  ticks: `SELECT concat_ws(' ', chain_id, '0x' || encode(pool, 'hex'), tick, block_number, gross, net) AS line
    FROM pool_tick`,
  headers: `SELECT concat_ws(' ', chain_id, number, '0x' || encode(hash, 'hex')) AS line FROM block`,
  swaps: `SELECT concat_ws(' ', chain_id, block_number, position, '0x' || encode(trader, 'hex'), volume_usd) AS line
    FROM swap`,
  moves: `SELECT concat_ws(' ', chain_id, block_number, '0x' || encode(token, 'hex'), '0x' || encode(trader, 'hex'), whole)
    AS line FROM token_move`,
}

export type StoredIndex = Record<keyof typeof STATEMENTS, string[]>

/** Returns the stored data, one line per row, sorted. */
export async function storedIndex(pool: Pool): Promise<StoredIndex> {
  const parts = await Promise.all(
    Object.entries(STATEMENTS).map(async ([name, sql]) => {
      const { rows } = await pool.query<{ line: string }>(sql)
      return [name, rows.map(({ line }) => line).sort()] as const
    }),
  )
  return Object.fromEntries(parts) as StoredIndex
}
