import { join } from 'node:path'
import { type BlockRange, dateOfDay, NETWORKS, ROW_RULES, startOfDay } from '@dexfeed/dex'
import type { Database, IndexerStore } from '@dexfeed/store'
import { DuckDBInstance } from '@duckdb/node-api'
import type { Manifest } from '../src/manifest.ts'
import type { TableName } from '../src/tables.ts'

// A month of trades like those of BNB Chain, made by SQL: 30 days take a chain's blocks hours. The counters and candles
// are those that a recount makes of them.

const { chainId } = NETWORKS.bsc
export const FIRST_DAY = 20_000
export const DAYS = 30
const DAY_BLOCKS = 1_920
const FIRST_BLOCK = 70_000_000
const TOKENS = 40
const POOLS = 200
const KEYS: Readonly<Record<string, string>> = {
  swap: '(PRIMARY KEY (chain_id, block_number, transaction_index, position))',
  swap_hop: '(PRIMARY KEY (chain_id, block_number, transaction_index, log_index))',
}

const bytes = (of: string) => `substring(sha256((${of})::bytea) FROM 1 FOR 20)`
const token = (n: string) => bytes(`'token' || (${n}) % ${TOKENS}`)
/** Pool n trades tokens n and n + 1, so that routes can pass through any pools in turn. */
const pool = (n: string) => bytes(`'pool' || (${n}) % ${POOLS}`)
const key = (address: string) => `('x' || right(encode(${address}, 'hex'), 16))::bit(64)::bigint`

/** The blocks of a day of the month. */
export function blocksOf(day: number): BlockRange {
  const from = FIRST_BLOCK + day * DAY_BLOCKS
  return { from, to: from + DAY_BLOCKS - 1 }
}

export async function makeMonth({ pool: client }: Database, store: IndexerStore, dayTrades: number): Promise<void> {
  const [begin, end] = [startOfDay(FIRST_DAY), startOfDay(FIRST_DAY + DAYS)]
  const [first, last] = [FIRST_BLOCK - 1, FIRST_BLOCK + DAYS * DAY_BLOCKS]
  await client.query(`
    INSERT INTO network (chain_id, name, wrapped_native, start_block, start_time, head_number, head_hash, head_time,
      chain_head_number, chain_head_time, final_number)
    VALUES (${chainId}, 'bsc', ${token('0')}, ${first}, to_timestamp(${begin - 45}), ${last}, sha256('head'),
      to_timestamp(${end}), ${last}, to_timestamp(${end}), ${last});
    INSERT INTO block VALUES (${chainId}, ${last}, sha256('head'), sha256('parent'), to_timestamp(${end}));
    INSERT INTO covered_range VALUES
      (${chainId}, ${first}, ${last}, to_timestamp(${begin - 45}), to_timestamp(${end}), ${ROW_RULES});
    INSERT INTO token SELECT ${chainId}, ${token('n')}, 'TOK' || n, 'Token ' || n, 6 + 12 * (n % 2)
      FROM generate_series(0, ${TOKENS - 1}) AS n;
    INSERT INTO pool (chain_id, address, dex, factory, token0, token1, fee)
      SELECT ${chainId}, ${pool('n')}, 'made-' || n % 5, ${bytes(`'factory'`)}, least(${token('n')}, ${token('n + 1')}),
        greatest(${token('n')}, ${token('n + 1')}), 3000
      FROM generate_series(0, ${POOLS - 1}) AS n`)
  for (let day = 0; day < DAYS; day++) {
    const [date, next] = [dateOfDay(FIRST_DAY + day), dateOfDay(FIRST_DAY + day + 1)]
    for (const table of ['swap', 'swap_hop', 'pool_candle', 'token_volume', 'token_flow', 'day_trader']) {
      const zone = table === 'day_trader' ? '' : ' 00:00+00'
      await client.query(`CREATE TABLE ${table}_${date.replaceAll('-', '')} PARTITION OF ${table} ${KEYS[table] ?? ''}
        FOR VALUES FROM ('${date}${zone}') TO ('${next}${zone}')`)
    }
    await insertDay(client, day, dayTrades)
    await store.recountDay(FIRST_DAY + day)
  }
  await client.query('ANALYZE')
}

async function insertDay(client: Database['pool'], day: number, trades: number): Promise<void> {
  const k = `(i::bigint * ${DAY_BLOCKS} / ${trades})`
  const place = `${chainId}, ${blocksOf(day).from} + ${k}, i, 0, to_timestamp(${startOfDay(FIRST_DAY + day)} + 45 * ${k})`
  const n = `(i * 7919 + ${day})`
  const sell = '1000000000000000000 + i::numeric * 7919'
  const buy = '2500000000000 + i::numeric * 104729'
  const volume = `CASE WHEN i % 20 = 0 THEN NULL ELSE ((i * 31 + ${day}) % 100000 + 0.12345678)::numeric(20, 8) END`
  const all = `generate_series(0, ${trades - 1}) AS i`
  // Of three trades, two have a hop that their row holds, and one passes through two pools.
  await client.query(`
    INSERT INTO swap (chain_id, block_number, transaction_index, position, block_time, tx_hash, trader, sell_token,
      sell_native, sell_amount, buy_token, buy_native, buy_amount, volume_usd, usd_source, flags, pool_key, hop_log_index)
    SELECT ${place}, sha256(int8send(${day} * 10000000::bigint + i)), ${bytes(`'trader' || i % 5000`)}, ${token(n)},
      i % 9 = 0, ${sell}, ${token(`${n} + CASE WHEN i % 3 = 0 THEN 2 ELSE 1 END`)}, false, ${buy}, ${volume},
      CASE WHEN i % 20 = 0 THEN NULL ELSE i % 4 END, CASE WHEN i % 33 = 0 THEN 2 ELSE 0 END,
      CASE WHEN i % 3 = 0 THEN NULL ELSE ${key(pool(n))} END, CASE WHEN i % 3 = 0 THEN NULL ELSE 4 * i END
    FROM ${all};
    INSERT INTO swap_hop (chain_id, block_number, transaction_index, position, block_time, log_index, pool_key, token_in,
      amount_in, token_out, amount_out, volume_usd)
    SELECT ${place}, 4 * i + hop, ${key(pool(`${n} + hop`))}, ${token(`${n} + hop`)}, ${sell} - hop * 10,
      ${token(`${n} + hop + 1`)}, ${buy} + hop * 10, ${volume}
    FROM ${all}, generate_series(0, 1) AS hop WHERE i % 3 = 0;
    INSERT INTO liquidity_event (chain_id, block_number, transaction_index, block_time, log_index, tx_hash, pool, account,
      added, amounts, liquidity, tick_lower, tick_upper, value_usd)
    SELECT ${chainId}, ${blocksOf(day).from} + ${k}, i, to_timestamp(${startOfDay(FIRST_DAY + day)} + 45 * ${k}), 4 * i + 3,
      sha256(int8send(i)), ${pool(n)}, ${bytes(`'trader' || i % 5000`)}, i % 2 = 0, ARRAY[${sell}, ${buy}],
      CASE WHEN i % 200 = 0 THEN ${sell} END, CASE WHEN i % 200 = 0 THEN -i END, CASE WHEN i % 200 = 0 THEN i END, ${volume}
    FROM ${all} WHERE i % 100 = 0`)
}

/** Count of the rows of a table, and a hash of all of them. */
type Digests = Record<string, string>

const ALL = (lines: string, collation: string) =>
  `SELECT count(*) || ' ' || coalesce(md5(string_agg(md5(line), '' ORDER BY line${collation})), '') AS digest FROM (${lines}) AS lines`

const TWO_64 = '18446744073709551616'
/** 32 bytes in hex, of a number below 2^127. */
const word = (number: string) => {
  const low = `mod(${number}, ${TWO_64})`
  const signed = `(${low} - CASE WHEN ${low} >= ${TWO_64} / 2 THEN ${TWO_64} ELSE 0 END)::bigint`
  return `lpad(to_hex(div(${number}, ${TWO_64})::bigint), 48, '0') || lpad(to_hex(${signed}), 16, '0')`
}
const keyHex = (column: string) => `lpad(to_hex(${column}), 16, '0')`
const line = (cells: readonly string[]) =>
  `SELECT concat_ws('|', ${cells.map((cell) => `coalesce((${cell})::varchar, '-')`).join()}) AS line`
const SECONDS = (column: string) => `floor(extract(epoch FROM ${column}))::bigint`

/** What the lake must hold of a day, from the tables of Postgres. */
export async function storedDay({ pool: client }: Database, day: number): Promise<Digests> {
  const [date, next] = [dateOfDay(FIRST_DAY + day), dateOfDay(FIRST_DAY + day + 1)]
  const of = (time: string) => `${time} >= '${date} 00:00+00' AND ${time} < '${next} 00:00+00'`
  const hex = (column: string) => `encode(${column}, 'hex')`
  const sources = `(ARRAY['stablecoin', 'route-stablecoin', 'native', 'anchor'])[usd_source + 1]`
  const place = ['block_number', 'transaction_index']
  // A null high, low or close equals the open; the place of a part is that of its only hop.
  const ofSide = (side: number, other: number) => [
    ...[`${keyHex(`token${side}_key`)}`, `${keyHex(`token${other}_key`)}`, 'pool_key', SECONDS('minute')],
    ...['sum(trades)', 'sum(unpriced)', 'sum(volume_usd)'],
    side === 0 ? 'sum(buys)' : 'sum(trades) - sum(buys)',
    side === 0 ? 'sum(buy_volume_usd)' : 'sum(volume_usd) - sum(buy_volume_usd)',
    word(`(array_agg(open${side} ORDER BY opened))[1]`),
    word(`max(coalesce(high${side}, open${side}))`),
    word(`min(coalesce(low${side}, open${side}))`),
    word(`(array_agg(coalesce(close${side}, open${side}) ORDER BY closed DESC NULLS LAST))[1]`),
  ]
  const candles = `(SELECT *, CASE WHEN open0 IS NOT NULL THEN coalesce(open_at, part) END AS opened,
    CASE WHEN open0 IS NOT NULL THEN coalesce(close_at, open_at, part) END AS closed FROM pool_candle WHERE ${of('minute')}) AS c
    GROUP BY pool_key, token0_key, token1_key, minute`
  const lines: Record<string, string> = {
    swaps: `${line([
      ...[
        ...place,
        'position',
        SECONDS('block_time'),
        hex('tx_hash'),
        hex('trader'),
        hex('settled_for'),
        hex('sell_token'),
      ],
      ...[
        'sell_native::int',
        word('sell_amount'),
        hex('buy_token'),
        'buy_native::int',
        word('buy_amount'),
        'volume_usd',
      ],
      ...[sources, 'flags'],
    ])} FROM swap WHERE ${of('block_time')}`,
    hops: `${line([
      ...[...place, 'log_index', 'position', SECONDS('block_time'), 'pool_key', hex('token_in'), word('amount_in')],
      ...[hex('token_out'), word('amount_out'), 'volume_usd', 'flags'],
    ])} FROM (SELECT block_number, transaction_index, log_index, position, block_time, pool_key, token_in, amount_in, token_out,
        amount_out, volume_usd, flags FROM swap_hop
      UNION ALL SELECT block_number, transaction_index, hop_log_index, position, block_time, pool_key, sell_token, sell_amount,
        buy_token, buy_amount, volume_usd, flags & ~(1 + 8 + 64 + 256) FROM swap WHERE hop_log_index IS NOT NULL) AS hop
      WHERE ${of('block_time')}`,
    liquidity: `${line([
      ...[...place, 'log_index', SECONDS('block_time'), hex('tx_hash'), hex('account'), hex('pool'), 'added::int'],
      ...[word('amounts[1]'), word('amounts[2]'), word('liquidity'), 'tick_lower', 'tick_upper', 'value_usd'],
    ])} FROM liquidity_event WHERE ${of('block_time')}`,
    pool_candles: `${line(ofSide(0, 1))} FROM ${candles} UNION ALL ${line(ofSide(1, 0))} FROM ${candles}`,
    token_candles: `${line([
      ...[
        hex('token'),
        SECONDS('minute'),
        'sum(trades)',
        'sum(unpriced)',
        'sum(volume_usd)',
        'sum(buys)',
        'sum(buy_volume_usd)',
      ],
    ])} FROM token_volume WHERE ${of('minute')} GROUP BY token, minute`,
    flows: `${line([keyHex('token_key'), SECONDS('hour'), 'pool_key', 'sum(hops)', 'sum(net_usd)'])}
      FROM token_flow WHERE ${of('hour')} GROUP BY token_key, hour, pool_key`,
    day_totals: `${line(['swaps', 'unpriced', 'flagged', 'volume_usd'])} FROM day_total WHERE day = '${date}'`,
    pools: `${line([hex('address'), 'dex', hex('factory'), hex('token0'), hex('token1'), 'fee'])} FROM pool
      WHERE ${key('address')} IN (SELECT pool_key FROM swap_hop WHERE ${of('block_time')} UNION SELECT pool_key FROM swap WHERE ${of('block_time')})
        OR address IN (SELECT pool FROM liquidity_event WHERE ${of('block_time')})`,
  }
  const found: Digests = {}
  for (const [name, text] of Object.entries(lines)) {
    found[name] = (await client.query<{ digest: string }>(ALL(text, ' COLLATE "C"'))).rows[0]?.digest ?? ''
  }
  return found
}

/** The same of the files of a manifest, which `pathOf` finds. Also checks its numbers of rows. */
export async function writtenDay(manifest: Manifest, pathOf: (file: string) => string): Promise<Digests> {
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' })
  const connection = await instance.connect()
  await connection.run("SET TimeZone = 'UTC'")
  const from = (table: TableName) =>
    `FROM read_parquet('${pathOf(manifest.tables[table].file)}', hive_partitioning = false)`
  const hex = (column: string) => `lower(hex(${column}))`
  const place = ['block_number', 'transaction_index']
  const sums = ['trades', 'unpriced', 'volume_usd', 'buys', 'buy_volume_usd']
  const tokenKey = (column: string) => `right(${hex(column)}, 16)`
  const seconds = (column: string) => `epoch(${column})::bigint`
  const lines: Record<string, string> = {
    swaps: `${line([
      ...[
        ...place,
        'position',
        seconds('block_time'),
        hex('tx_hash'),
        hex('trader'),
        hex('settled_for'),
        hex('sell_token'),
      ],
      ...['sell_native::int', hex('sell_amount'), hex('buy_token'), 'buy_native::int', hex('buy_amount'), 'volume_usd'],
      ...['usd_source', 'flags'],
    ])} ${from('swaps')}`,
    hops: `${line([
      ...[...place, 'log_index', 'position', seconds('block_time'), 'pool_key', hex('token_in'), hex('amount_in')],
      ...[hex('token_out'), hex('amount_out'), 'volume_usd', 'flags'],
    ])} ${from('hops')}`,
    liquidity: `${line([
      ...[...place, 'log_index', seconds('block_time'), hex('tx_hash'), hex('account'), hex('pool'), 'added::int'],
      ...[hex('amounts[1]'), hex('amounts[2]'), hex('liquidity'), 'tick_lower', 'tick_upper', 'value_usd'],
    ])} ${from('liquidity')}`,
    pool_candles: `${line([
      ...[tokenKey('token'), tokenKey('other'), 'pool_key', seconds('minute'), ...sums],
      ...[hex('open'), ...['high', 'low', 'close'].map((price) => hex(`coalesce(${price}, open)`))],
    ])} ${from('candles')} WHERE pool_key IS NOT NULL`,
    token_candles: `${line([hex('token'), seconds('minute'), ...sums])} ${from('candles')} WHERE pool_key IS NULL`,
    flows: `${line([tokenKey('token'), seconds('hour'), 'pool_key', 'hops', 'net_usd'])} ${from('flows')}`,
    day_totals: `${line(['swaps', 'unpriced', 'flagged', 'volume_usd'])} ${from('day_totals')}`,
    pools: `${line([hex('address'), 'dex', hex('factory'), hex('token0'), hex('token1'), 'fee'])} ${from('pools')}`,
  }
  try {
    const found: Digests = {}
    for (const [name, text] of Object.entries(lines)) {
      found[name] = String((await connection.runAndReadAll(ALL(text, ''))).getRowsJson()[0]?.[0])
    }
    return found
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}

/** Where a server of test buckets keeps an object. */
export const inBucket = (folder: string) => (file: string) => join(folder, 'lake', 'dex/feed', `${file}._S3rver_object`)
