import pg from 'pg'

/**
 * Tables with the columns that depend only on the chain. Left out: `revision`, `reorgs` and `writer_epoch`, which count
 * commits, and the chain's head at that time.
 */
const TABLES: Record<string, string> = {
  // Whether a trade holds its hop depends on when its tokens were known.
  swap: "to_jsonb(swap) - 'hop_log_index'",
  hour_volume: '*',
  day_total: '*',
  day_trader: '*',
  day_address_count: '*',
  token_move: '*',
  covered_range: '*',
  pool: '*',
  token: '*',
  listed_symbol: '*',
  block: '*',
  network: 'chain_id, name, genesis_hash, start_block, start_time, head_number, head_hash, head_time, degraded',
}

/**
 * What does not depend on how rows came: all hops, and the newest version of each state, since the number of older ones
 * depends on when blocks became final.
 */
const QUERIES: Record<string, string> = {
  pool_state: `SELECT DISTINCT ON (chain_id, pool) chain_id, pool, reserve0, reserve1, sqrt_price_x96, tick, liquidity
    FROM pool_state ORDER BY chain_id, pool, block_number DESC`,
  pool_tick: `SELECT * FROM (SELECT DISTINCT ON (chain_id, pool, tick) chain_id, pool, tick, gross, net
    FROM pool_tick ORDER BY chain_id, pool, tick, block_number DESC) AS newest WHERE gross > 0`,
  swap_hop: `SELECT * FROM swap_hop UNION ALL SELECT chain_id, block_number, transaction_index, hop_log_index, position,
    block_time, pool_key, sell_token, sell_amount, buy_token, buy_amount, volume_usd, flags & ~(1 + 8 + 64)
    FROM swap WHERE hop_log_index IS NOT NULL`,
  // The number of parts of a candle depends on the commits. A row leaves out what is equal.
  pool_candle: `SELECT chain_id, pool_key, minute, token0_key, token1_key, sum(trades), sum(unpriced), sum(volume_usd),
    min(opened), max(closed), (array_agg(open0 ORDER BY opened))[1], max(coalesce(high0, open0)), min(coalesce(low1, open1)),
    (array_agg(coalesce(close1, open1) ORDER BY closed DESC NULLS LAST))[1]
    FROM (SELECT *, CASE WHEN open0 IS NOT NULL THEN coalesce(open_at, part) END AS opened,
      CASE WHEN open0 IS NOT NULL THEN coalesce(close_at, open_at, part) END AS closed FROM pool_candle) AS parts
    GROUP BY chain_id, pool_key, minute, token0_key, token1_key`,
  token_candle: `SELECT chain_id, token, minute, sum(trades), sum(unpriced), sum(volume_usd), min(opened), max(closed),
    (array_agg(open ORDER BY opened))[1], max(coalesce(high, open)), min(coalesce(low, open)),
    (array_agg(coalesce(close, open) ORDER BY closed DESC NULLS LAST))[1]
    FROM (SELECT *, CASE WHEN open IS NOT NULL THEN coalesce(open_at, part) END AS opened,
      CASE WHEN open IS NOT NULL THEN coalesce(close_at, open_at, part) END AS closed FROM token_candle) AS parts
    GROUP BY chain_id, token, minute`,
}

/** Returns everything that indexing left in a database, as sorted text, comparable between databases. */
export async function dumpTables(databaseUrl: string): Promise<Record<string, string[]>> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    const dump: Record<string, string[]> = {}
    const queries = Object.entries(TABLES).map(
      ([table, columns]) => [table, `SELECT ${columns} FROM ${table}`] as const,
    )
    for (const [table, query] of [...queries, ...Object.entries(QUERIES)]) {
      const { rows } = await client.query<{ line: string }>(
        `SELECT line FROM (SELECT found::text AS line FROM (${query}) AS found) AS lines ORDER BY line COLLATE "C"`,
      )
      dump[table] = rows.map(({ line }) => line)
    }
    return dump
  } finally {
    await client.end()
  }
}
