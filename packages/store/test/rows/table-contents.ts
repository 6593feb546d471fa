import type { Pool } from 'pg'
import { Prisma } from '../../src/generated/client.ts'
import { heldPoolCandles, heldTokenVolumes } from '../../src/tables/rollups/held-candles.ts'
import { candleColumns } from '../../src/tables/rollups/merge-candles.ts'
import { HOPS } from '../../src/tables/swap/swap-hop.ts'

const HOP_COLUMNS = `chain_id, block_number, transaction_index, log_index, position, block_time, pool_key, token_in,
  amount_in, token_out, amount_out, volume_usd, flags`

/**
 * The tables that indexing writes, without columns that depend on how it wrote them (revisions, epochs, reorg counts).
 */
const TABLES = {
  // Whether a trade holds its hop depends on when its tokens became known; its parts of candles depend on the commits.
  swap: `SELECT to_jsonb(swap) - '{hop_log_index,parts}'::text[] FROM swap ORDER BY chain_id, block_number, transaction_index, position`,
  swap_hop: `SELECT ${HOP_COLUMNS} FROM ${HOPS.text} AS hop ORDER BY chain_id, block_number, transaction_index, log_index`,
  pool_candle: candles(
    'pool_candle',
    'chain_id, pool_key, minute, token0_key, token1_key',
    ['0', '1'],
    heldPoolCandles,
  ),
  token_volume: `SELECT chain_id, token, minute, sum(trades), sum(unpriced), sum(volume_usd)
    FROM (SELECT chain_id, token, minute, trades, unpriced, volume_usd FROM token_volume
      UNION ALL SELECT chain_id, token, minute, trades, unpriced, volume_usd
      FROM (${heldTokenVolumes(() => Prisma.sql`true`).text}) AS held) AS parts
    GROUP BY chain_id, token, minute ORDER BY chain_id, token, minute`,
  token_flow: `SELECT chain_id, token_key, hour, pool_key, sum(hops), sum(net_usd) FROM token_flow
    GROUP BY chain_id, token_key, hour, pool_key ORDER BY chain_id, token_key, hour, pool_key`,
  hour_volume: 'SELECT * FROM hour_volume ORDER BY chain_id, hour, protocol',
  day_total: 'SELECT * FROM day_total ORDER BY day, chain_id',
  day_trader: 'SELECT * FROM day_trader ORDER BY day, trader',
  day_address_count: 'SELECT * FROM day_address_count ORDER BY day, networks',
  covered_range: 'SELECT * FROM covered_range ORDER BY chain_id, from_block',
  token_move: 'SELECT * FROM token_move ORDER BY chain_id, block_number, transaction_index, token',
  pool: 'SELECT * FROM pool ORDER BY chain_id, address',
  token: 'SELECT * FROM token ORDER BY chain_id, address',
  block: 'SELECT * FROM block ORDER BY chain_id, number',
  pool_state: `SELECT chain_id, pool, block_number, reserve0, reserve1, sqrt_price_x96, tick, liquidity
    FROM pool_state ORDER BY chain_id, pool, block_number`,
  pool_tick:
    'SELECT chain_id, pool, tick, block_number, gross, net FROM pool_tick ORDER BY chain_id, pool, tick, block_number',
}

/** Merges the parts of a candle, so that neither their number nor their place matters. */
function candles(table: string, key: string, sides: readonly string[], held: typeof heldPoolCandles): string {
  const columns = [key, 'part', ...candleColumns(sides)].join()
  const prices = sides.flatMap((side) => [
    `(array_agg(open${side} ORDER BY opened))[1]`,
    `max(coalesce(high${side}, open${side}))`,
    `min(coalesce(low${side}, open${side}))`,
    `(array_agg(coalesce(close${side}, open${side}) ORDER BY closed DESC NULLS LAST))[1]`,
  ])
  const isPriced = `open${sides[0]} IS NOT NULL`
  return `SELECT ${key}, sum(trades), sum(unpriced), sum(volume_usd), min(opened), max(closed), ${prices}
    FROM (SELECT *, CASE WHEN ${isPriced} THEN coalesce(open_at, part) END AS opened,
      CASE WHEN ${isPriced} THEN coalesce(close_at, open_at, part) END AS closed
      FROM (SELECT ${columns} FROM ${table}
        UNION ALL SELECT ${columns} FROM (${held(() => Prisma.sql`true`).text}) AS held) AS all_parts) AS parts
    GROUP BY ${key} ORDER BY ${key}`
}

export type TableName = keyof typeof TABLES

/** Returns the rows of these tables (all by default), each row as the server formats it. */
export async function tableContents(
  pool: Pool,
  names: readonly TableName[] = Object.keys(TABLES) as TableName[],
): Promise<Partial<Record<TableName, string[]>>> {
  const contents: Partial<Record<TableName, string[]>> = {}
  for (const name of names) {
    const { rows } = await pool.query<{ row: string }>(`SELECT t::text AS row FROM (${TABLES[name]}) AS t`)
    contents[name] = rows.map(({ row }) => row)
  }
  return contents
}
