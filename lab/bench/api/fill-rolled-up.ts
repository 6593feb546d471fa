import { DAY_S } from '@dexfeed/dex'
import type { Shutdown } from '@dexfeed/service'
import type { Client } from 'pg'
import { withClient } from '../bench-database.ts'
import { tokenOf } from './fill-day.ts'

const POOLS = 1_000
/** Tokens with a candle in each minute of the day. */
const CANDLE_TOKENS = 100
/** Pools of each of these, which trade in turn; the first ones have more of the flow. */
const CANDLE_POOLS = 3
const TABLES = ['swap_hop', 'token_volume', 'pool_candle', 'token_flow']

/**
 * Adds to the trades of a filled day (fill-day.ts) what `/v1` reads beside them: pools, a hop of each trade, candles and
 * flows of tokens and their pools, and volumes by hour.
 *
 * @param now in seconds
 */
export async function fillRolledUp(
  databaseUrl: string,
  now: number,
  shutdown: Pick<Shutdown, 'signal'>,
): Promise<void> {
  await withClient(databaseUrl, shutdown, async (client) => {
    await client.query('SET synchronous_commit = off')
    for (const day of [now - DAY_S, now]) await makePartitions(client, new Date(day * 1000).toISOString().slice(0, 10))
    const pool = (n: string) => `substring(sha256(('pool' || (${n}))::bytea) FROM 1 FOR 20)`
    await client.query(`INSERT INTO pool (chain_id, address, dex, factory, token0, token1, fee)
      SELECT chain_id, ${pool('n')}, 'made-' || n % 5, substring(sha256('factory') FROM 1 FOR 20), ${tokenOf('n % 400')}, ${tokenOf('(n + 1) % 400')}, 3000
      FROM network, generate_series(0, ${POOLS - 1}) AS n ON CONFLICT DO NOTHING`)
    const key = (bytes: string) => `('x' || right(encode(${bytes}, 'hex'), 16))::bit(64)::bigint`
    await client.query(`INSERT INTO swap_hop (chain_id, block_number, transaction_index, log_index, position, block_time,
        pool_key, token_in, amount_in, token_out, amount_out, volume_usd)
      SELECT chain_id, block_number, transaction_index, 7, position, block_time,
        ${key(pool(`transaction_index % ${POOLS}`))}, sell_token, sell_amount, buy_token, buy_amount, volume_usd FROM swap`)
    const minutes = `date_trunc('minute', to_timestamp(${now})) - m * interval '1 minute'`
    const tokens = `generate_series(0, ${CANDLE_TOKENS - 1}) AS n`
    const counts = '0, 1 + n % 40, n % 3, (m + 0.12345678)::numeric'
    await client.query(`INSERT INTO token_volume (chain_id, token, minute, part, trades, unpriced, volume_usd)
      SELECT 56, ${tokenOf('n')}, ${minutes}, ${counts} FROM ${tokens}, generate_series(0, 1380) AS m`)
    const prices = '1e24 + m * 1e20, 2e24 + m * 1e20, 1e24, 1e24 + n * 1e20'
    await client.query(`INSERT INTO pool_candle (chain_id, pool_key, token0_key, token1_key, minute, part, trades, unpriced,
        volume_usd, open_at, close_at, open0, high0, low0, close0, open1, high1, low1, close1)
      SELECT 56, ${CANDLE_POOLS} * n + m % ${CANDLE_POOLS}, ${key(tokenOf('n'))}, 0, ${minutes}, ${counts}, m, m, ${prices}, ${prices}
      FROM ${tokens}, generate_series(0, 1380) AS m`)
    await client.query(`INSERT INTO token_flow (chain_id, token_key, hour, pool_key, part, hops, net_usd)
      SELECT 56, ${key(tokenOf('n'))}, date_trunc('hour', to_timestamp(${now})) - h * interval '1 hour',
        ${CANDLE_POOLS} * n + p, 0, 20, 1000 - 300 * p
      FROM ${tokens}, generate_series(0, 23) AS h, generate_series(0, ${CANDLE_POOLS - 1}) AS p`)
    await client.query(`INSERT INTO hour_volume
      SELECT chain_id, date_trunc('hour', to_timestamp(${now})) - h * interval '1 hour', '', 40000, 2000, 123456.78
      FROM network, generate_series(0, 23) AS h`)
    await client.query('VACUUM ANALYZE')
    await client.query('CHECKPOINT')
  })
}

async function makePartitions(client: Client, date: string): Promise<void> {
  for (const table of TABLES) {
    await client.query(`CREATE TABLE IF NOT EXISTS ${table}_${date.replaceAll('-', '')} PARTITION OF ${table}
      ${table === 'swap_hop' ? '(PRIMARY KEY (chain_id, block_number, transaction_index, log_index))' : ''}
      FOR VALUES FROM ('${date} 00:00+00') TO ('${date} 00:00+00'::timestamptz + interval '1 day')`)
  }
}
