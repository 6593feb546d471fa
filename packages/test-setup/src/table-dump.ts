import pg from 'pg'

/** Trades that are parts of candles, with the place and the prices of their hops. */
const HELD = `(SELECT *, date_trunc('minute', block_time) AS minute, block_number::bigint * 1048576 + hop_log_index AS at,
    CASE WHEN sets_price THEN div(volume_usd * 1e42, sell_amount) END AS sold,
    CASE WHEN sets_price THEN div(volume_usd * 1e42, buy_amount) END AS bought
  FROM (SELECT *, flags & ~(1 + 8 + 64 + 256) = 0 AND sell_token <> buy_token AND volume_usd >= 0.01
      AND least(sell_amount, buy_amount) >= 1000
      AND volume_usd * 1e39 >= greatest(sell_amount, buy_amount) AS sets_price
    FROM swap WHERE parts > 0) AS swap) AS held`
const KEY = (token: string) => `('x' || right(encode(${token}, 'hex'), 16))::bit(64)::bigint`
const SUMS = (isBuy: string) => `1, (volume_usd IS NULL)::int, coalesce(volume_usd, 0.00000000), (${isBuy})::int,
  CASE WHEN ${isBuy} THEN coalesce(volume_usd, 0.00000000) ELSE 0.00000000 END`
const PRICES_OF_ONE_HOP = (sold: string, bought: string) =>
  `CASE WHEN sell_token < buy_token THEN ${sold} ELSE ${bought} END, NULL, NULL, NULL`
const POOL_PARTS = `
  SELECT chain_id, pool_key, minute, token0_key, token1_key, trades, unpriced, volume_usd, buys, buy_volume_usd, part, open_at, close_at,
    open0, high0, low0, close0, open1, high1, low1, close1 FROM pool_candle
  UNION ALL SELECT chain_id, pool_key, minute, ${KEY('least(sell_token, buy_token)')},
    ${KEY('greatest(sell_token, buy_token)')}, ${SUMS('buy_token <= sell_token')}, at, NULL, NULL, ${PRICES_OF_ONE_HOP('sold', 'bought')},
    ${PRICES_OF_ONE_HOP('bought', 'sold')} FROM ${HELD} WHERE parts & 1 > 0`
const TOKEN_PARTS = `
  SELECT chain_id, token, minute, trades, unpriced, volume_usd, buys, buy_volume_usd FROM token_volume
  UNION ALL SELECT chain_id, sell_token, minute, ${SUMS('buy_token = sell_token')} FROM ${HELD} WHERE parts & 2 > 0
  UNION ALL SELECT chain_id, buy_token, minute, ${SUMS('true')} FROM ${HELD} WHERE parts & 4 > 0`
/** A sum is null if a part is. */
const SUMMED = `sum(trades), sum(unpriced), sum(volume_usd), CASE WHEN count(buys) = count(*) THEN sum(buys) END,
  CASE WHEN count(buy_volume_usd) = count(*) THEN sum(buy_volume_usd) END`
const PRICES = ['0', '1'].flatMap((side) => [
  `(array_agg(open${side} ORDER BY opened))[1]`,
  `max(coalesce(high${side}, open${side}))`,
  `min(coalesce(low${side}, open${side}))`,
  `(array_agg(coalesce(close${side}, open${side}) ORDER BY closed DESC NULLS LAST))[1]`,
])

const WHOLE_TABLES = [
  ...['hour_volume', 'day_total', 'day_trader', 'day_address_count', 'token_move', 'covered_range'],
  ...['liquidity_event', 'pool', 'pool_creation', 'listed_symbol', 'block'],
]

/** The tables without what depends on how they were written: revisions, epochs, numbers of reorgs. */
const QUERIES: Record<string, string> = {
  ...Object.fromEntries(WHOLE_TABLES.map((name) => [name, `SELECT * FROM ${name}`])),
  // When a supply was read depends on the process.
  token: 'SELECT chain_id, address, symbol, name, decimals FROM token',
  // Whether a trade holds its hop depends on when its tokens became known. Its parts of candles depend on the commits.
  swap: "SELECT to_jsonb(swap) - '{hop_log_index,parts}'::text[] FROM swap",
  swap_hop: `SELECT * FROM swap_hop UNION ALL SELECT chain_id, block_number, transaction_index, hop_log_index, position,
    block_time, pool_key, sell_token, sell_amount, buy_token, buy_amount, volume_usd, flags & ~(1 + 8 + 64 + 256)
    FROM swap WHERE hop_log_index IS NOT NULL`,
  // The number of a candle's parts depends on the commits. A row omits values that equal others.
  pool_candle: `SELECT chain_id, pool_key, minute, token0_key, token1_key, ${SUMMED},
    min(opened), max(closed), ${PRICES}
    FROM (SELECT *, CASE WHEN open0 IS NOT NULL THEN coalesce(open_at, part) END AS opened,
      CASE WHEN open0 IS NOT NULL THEN coalesce(close_at, open_at, part) END AS closed FROM (${POOL_PARTS}) AS all_parts) AS parts
    GROUP BY chain_id, pool_key, minute, token0_key, token1_key`,
  token_volume: `SELECT chain_id, token, minute, ${SUMMED} FROM (${TOKEN_PARTS}) AS parts
    GROUP BY chain_id, token, minute`,
  token_flow: `SELECT chain_id, token_key, hour, pool_key, sum(hops), sum(net_usd) FROM token_flow
    GROUP BY chain_id, token_key, hour, pool_key`,
}

const VERSIONS = {
  pool_state:
    'SELECT chain_id, pool, block_number, reserve0, reserve1, sqrt_price_x96, tick, liquidity FROM pool_state',
  pool_tick: 'SELECT chain_id, pool, tick, block_number, gross, net FROM pool_tick',
}

/** The number of older versions depends on when blocks became final. */
const NEWEST = {
  pool_state: `SELECT DISTINCT ON (chain_id, pool) chain_id, pool, reserve0, reserve1, sqrt_price_x96, tick, liquidity
    FROM pool_state ORDER BY chain_id, pool, block_number DESC`,
  pool_tick: `SELECT * FROM (SELECT DISTINCT ON (chain_id, pool, tick) chain_id, pool, tick, gross, net
    FROM pool_tick ORDER BY chain_id, pool, tick, block_number DESC) AS newest WHERE gross > 0`,
  network: `SELECT chain_id, name, genesis_hash, start_block, start_time, head_number, head_hash, head_time, degraded
    FROM network`,
}

interface Queries {
  query(text: string): Promise<{ rows: unknown[] }>
}

/** Returns the rows of these tables, all that commits write by default, as sorted text. */
export function tableContents(
  database: Queries,
  names: readonly string[] = Object.keys({ ...QUERIES, ...VERSIONS }),
): Promise<Record<string, string[]>> {
  return contentsOf(database, names, { ...QUERIES, ...VERSIONS })
}

/** Returns everything that indexing left in a database, as text that can be compared between databases. */
export async function dumpTables(databaseUrl: string): Promise<Record<string, string[]>> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  const queries = { ...QUERIES, ...NEWEST }
  return contentsOf(client, Object.keys(queries), queries).finally(() => client.end())
}

async function contentsOf(database: Queries, names: readonly string[], queries: Record<string, string>) {
  const contents: Record<string, string[]> = {}
  for (const name of names) {
    const { rows } = await database.query(
      `SELECT line FROM (SELECT found::text AS line FROM (${queries[name]}) AS found) AS lines ORDER BY line COLLATE "C"`,
    )
    contents[name] = (rows as { line: string }[]).map(({ line }) => line)
  }
  return contents
}
