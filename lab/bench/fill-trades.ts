import { DAY_S, ROW_RULES, SECOND } from '@dexfeed/dex'
import type { Shutdown } from '@dexfeed/service'
import type { Client } from 'pg'
import { withClient } from './bench-database.ts'

interface Shape {
  chainId: number
  name: string
  firstBlock: number
  blockS: number
  share: number
}

const BSC: Shape = { chainId: 56, name: 'bsc', firstBlock: 70_000_000, blockS: 0.45, share: 0.87 }
const SHAPES: readonly Shape[] = [
  { chainId: 1, name: 'eth', firstBlock: 24_000_000, blockS: 12, share: 0.04 },
  BSC,
  { chainId: 137, name: 'polygon', firstBlock: 80_000_000, blockS: 1.9, share: 0.09 },
]
const TOKENS = 400
const TRADERS = 50_000
/** Less than a day, because the window moves while the benchmark runs. */
const SPAN_S = DAY_S - 1_800
const FINALITY_S = 60
const WEEK_DAYS = 7
const TRADES_PER_TRADER = 20 * WEEK_DAYS
const POOLS = 1_000
/** Each of these tokens has a candle in every minute; its pools trade in turn. */
const CANDLE_TOKENS = 100
const CANDLE_POOLS = 3

const KEYS: Readonly<Record<string, string>> = {
  swap: '(PRIMARY KEY (chain_id, block_number, transaction_index, position))',
  swap_hop: '(PRIMARY KEY (chain_id, block_number, transaction_index, log_index))',
}

/**
 * Inserts the last day's swaps of networks that the database lacks.
 *
 * @param rows for all networks together
 * @param now in seconds since 1970
 */
export async function fillDay(databaseUrl: string, rows: number, now: number, shutdown: Pick<Shutdown, 'signal'>) {
  await withClient(databaseUrl, shutdown, async (client) => {
    for (const day of [now - DAY_S, now]) await makePartitions(client, ['swap'], day)
    const { rows: present } = await client.query<{ name: string }>('SELECT name FROM network')
    const missing = SHAPES.filter(({ name }) => !present.some((network) => network.name === name))
    for (const shape of missing) await fillNetwork(client, shape, Math.round(rows * shape.share), now)
    await client.query('VACUUM ANALYZE')
  })
}

/**
 * Inserts a week of BNB Chain trades with their traders and day totals.
 *
 * @param lastDay start of the week's last day, in seconds since 1970
 */
export async function fillWeek(databaseUrl: string, rows: number, lastDay: number, shutdown: Pick<Shutdown, 'signal'>) {
  const start = lastDay - (WEEK_DAYS - 1) * DAY_S
  await withClient(databaseUrl, shutdown, async (client) => {
    for (let day = 0; day < WEEK_DAYS; day++) await makePartitions(client, ['swap', 'day_trader'], start + day * DAY_S)
    const traders = Math.ceil(rows / TRADES_PER_TRADER)
    await insertSwaps(client, BSC, { rows, traders, start, spanS: WEEK_DAYS * DAY_S })
    const day = `(block_time AT TIME ZONE 'UTC')::date`
    await client.query(`INSERT INTO day_trader (day, trader, networks) SELECT DISTINCT ${day}, trader, 2 FROM swap`)
    await client.query(`INSERT INTO day_address_count (day, networks, addresses)
      SELECT day, 2, count(*) FROM day_trader GROUP BY day`)
    await client.query(`INSERT INTO day_total (day, chain_id, swaps, unpriced, flagged, volume_usd)
      SELECT ${day}, chain_id, count(*), count(*) FILTER (WHERE volume_usd IS NULL), count(*) FILTER (WHERE flags <> 0),
        sum(volume_usd) FROM swap GROUP BY 1, 2`)
    await client.query('VACUUM ANALYZE')
  })
}

/**
 * Creates the partitions of a day as the indexer leaves them when the day is complete.
 *
 * @param time on that day, in seconds since 1970
 */
async function makePartitions(client: Client, tables: readonly string[], time: number): Promise<void> {
  const [date, next] = [time, time + DAY_S].map((at) => new Date(at * SECOND).toISOString().slice(0, 10))
  for (const table of tables) {
    const name = `${table}_${date?.replaceAll('-', '')}`
    await client.query(
      `CREATE TABLE IF NOT EXISTS ${name} PARTITION OF ${table} ${KEYS[table] ?? ''} FOR VALUES FROM ('${date} 00:00+00') TO ('${next} 00:00+00')`,
    )
    if (table !== 'swap') continue
    await client.query(`CREATE INDEX IF NOT EXISTS ${name}_trader_idx ON ${name} (trader)`)
    await client.query(`CREATE INDEX IF NOT EXISTS ${name}_tx_idx ON ${name} (substring(tx_hash from 1 for 4))`)
  }
}

async function fillNetwork(client: Client, shape: Shape, rows: number, now: number): Promise<void> {
  const { chainId, name, firstBlock, blockS } = shape
  const head = firstBlock + Math.floor(SPAN_S / blockS)
  const start = now - SPAN_S
  await client.query(
    `INSERT INTO network (chain_id, name, wrapped_native, start_block, start_time, head_number, head_hash, head_time,
       chain_head_number, chain_head_time, final_number)
     VALUES ($1, $2, ${tokenOf('0')}, $3, to_timestamp($4), $5, sha256('head'), to_timestamp($6), $5, to_timestamp($6), $7)`,
    [chainId, name, firstBlock, start, head, now, head - Math.ceil(FINALITY_S / blockS)],
  )
  await client.query(
    `INSERT INTO covered_range VALUES (${chainId}, ${firstBlock}, ${head}, to_timestamp(${start}), to_timestamp(${now}), ${ROW_RULES})`,
  )
  await client.query(
    `INSERT INTO token SELECT ${chainId}, ${tokenOf('i')}, 'TOK' || i, 'Token number ' || i, 6 + 12 * (i % 2)
     FROM generate_series(0, ${TOKENS - 1}) AS i`,
  )
  await insertSwaps(client, shape, { rows, traders: TRADERS, start, spanS: SPAN_S })
}

interface Period {
  rows: number
  traders: number
  /** Seconds since 1970. */
  start: number
  spanS: number
}

async function insertSwaps(
  client: Client,
  { chainId, firstBlock, blockS }: Shape,
  { rows, traders, start, spanS }: Period,
): Promise<void> {
  const block = `(i::bigint * ${Math.floor(spanS / blockS)} / ${rows})`
  await client.query(
    `INSERT INTO swap (chain_id, block_number, transaction_index, position, block_time, tx_hash, trader,
       sell_token, sell_native, sell_amount, buy_token, buy_native, buy_amount, volume_usd, usd_source, flags)
     SELECT ${chainId}, ${firstBlock} + ${block}, i, 0, to_timestamp(${start} + floor(${block} * ${blockS})),
       sha256(int8send(i::bigint)), substring(sha256(int8send(i::bigint % ${traders})) FROM 1 FOR 20),
       ${tokenOf(`(i::bigint * i) % ${TOKENS}`)}, i % 9 = 0, 1000000000000000000 + i::numeric * 7919,
       ${tokenOf(`((i::bigint * i) % ${TOKENS} + 1 + i % 7) % ${TOKENS}`)}, false, 2500000000 + i::numeric * 104729,
       CASE WHEN i % 20 = 0 THEN NULL ELSE ((i % 1000000) + 0.12345678)::numeric(20, 8) END,
       CASE WHEN i % 20 = 0 THEN NULL ELSE 0 END, CASE WHEN i % 33 = 0 THEN 2 ELSE 0 END
     FROM generate_series(0, ${rows - 1}) AS i`,
  )
}

/**
 * Adds the rows that `/v1` reads and `fillDay` does not write.
 *
 * @param now in seconds since 1970
 */
export async function fillRolledUp(databaseUrl: string, now: number, shutdown: Pick<Shutdown, 'signal'>) {
  await withClient(databaseUrl, shutdown, async (client) => {
    await client.query('SET synchronous_commit = off')
    const tables = ['swap_hop', 'token_volume', 'pool_candle', 'token_flow']
    for (const day of [now - DAY_S, now]) await makePartitions(client, tables, day)
    const pool = (n: string) => `substring(sha256(('pool' || (${n}))::bytea) FROM 1 FOR 20)`
    await client.query(`INSERT INTO pool (chain_id, address, dex, factory, token0, token1, fee)
      SELECT chain_id, ${pool('n')}, 'made-' || n % 5, substring(sha256('factory') FROM 1 FOR 20), ${tokenOf('n % 400')}, ${tokenOf('(n + 1) % 400')}, 3000
      FROM network, generate_series(0, ${POOLS - 1}) AS n ON CONFLICT DO NOTHING`)
    await client.query(`INSERT INTO swap_hop (chain_id, block_number, transaction_index, log_index, position, block_time,
        pool_key, token_in, amount_in, token_out, amount_out, volume_usd)
      SELECT chain_id, block_number, transaction_index, 7, position, block_time,
        ${keyOf(pool(`transaction_index % ${POOLS}`))}, sell_token, sell_amount, buy_token, buy_amount, volume_usd FROM swap`)
    const minutes = `date_trunc('minute', to_timestamp(${now})) - m * interval '1 minute'`
    const hours = `date_trunc('hour', to_timestamp(${now})) - h * interval '1 hour'`
    const tokens = `generate_series(0, ${CANDLE_TOKENS - 1}) AS n`
    const counts = '0, 1 + n % 40, n % 3, (m + 0.12345678)::numeric, n % 40, m::numeric'
    await client.query(`INSERT INTO token_volume (chain_id, token, minute, part, trades, unpriced, volume_usd, buys, buy_volume_usd)
      SELECT 56, ${tokenOf('n')}, ${minutes}, ${counts} FROM ${tokens}, generate_series(0, 1380) AS m`)
    const prices = '1e24 + m * 1e20, 2e24 + m * 1e20, 1e24, 1e24 + n * 1e20'
    await client.query(`INSERT INTO pool_candle (chain_id, pool_key, token0_key, token1_key, minute, part, trades, unpriced,
        volume_usd, buys, buy_volume_usd, open_at, close_at, open0, high0, low0, close0, open1, high1, low1, close1)
      SELECT 56, ${CANDLE_POOLS} * n + m % ${CANDLE_POOLS}, ${keyOf(tokenOf('n'))}, 0, ${minutes}, ${counts}, m, m, ${prices}, ${prices}
      FROM ${tokens}, generate_series(0, 1380) AS m`)
    await client.query(`INSERT INTO token_flow (chain_id, token_key, hour, pool_key, part, hops, net_usd)
      SELECT 56, ${keyOf(tokenOf('n'))}, ${hours}, ${CANDLE_POOLS} * n + p, 0, 20, 1000 - 300 * p
      FROM ${tokens}, generate_series(0, 23) AS h, generate_series(0, ${CANDLE_POOLS - 1}) AS p`)
    await client.query(`INSERT INTO hour_volume SELECT chain_id, ${hours}, '', 40000, 2000, 123456.78
      FROM network, generate_series(0, 23) AS h`)
    await client.query('VACUUM ANALYZE')
    await client.query('CHECKPOINT')
  })
}

function tokenOf(index: string): string {
  return `substring(sha256(int8send((${index})::bigint)) FROM 1 FOR 20)`
}

function keyOf(bytes: string): string {
  return `('x' || right(encode(${bytes}, 'hex'), 16))::bit(64)::bigint`
}
