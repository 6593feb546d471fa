import { join } from 'node:path'
import { USD_SOURCES } from '@dexfeed/dex'
import type { RowsName, RowsOfDay } from '@dexfeed/store'
import { decodedRows } from './decode-rows.ts'
import { type Duck, quoted } from './duck.ts'
import { type LakeTable, TABLE_NAMES, TABLES, type TableName } from './tables.ts'

/** A reader of a token or a pool skips groups of other ones. A group is held in memory until it is written. */
const GROUP_ROWS = 50_000

/**
 * For the process to stay below 300 MB, of which 200 are not DuckDB's. A second thread takes 100 more, and spins while
 * swaps are written in order.
 */
const LIMITS = "SET threads = 1; SET memory_limit = '100MB'"
/** A sort fails if it cannot hold a part of each of its runs. */
const SORTING_LIMIT = "SET memory_limit = '200MB'"

interface WrittenFile {
  path: string
  rows: number
  /** As decimals. */
  sums: Record<string, string>
}

export interface WrittenDay {
  files: Record<TableName, WrittenFile>
  /** The first and last block with rows; null without rows. */
  blocks: { first: number; last: number } | null
}

interface Writing {
  rows: RowsOfDay
  duck: Duck
  folder: string
}

/** Copies the rows of a day into files and tables. */
export async function copyRows(writing: Writing): Promise<void> {
  await writing.duck.run(LIMITS)
  await keep(writing, 'anchors')
  await keep(writing, 'totals')
  await keep(writing, 'tokens')
  await keep(writing, 'pools')
  for (const sql of POOLS_BY_KEY) await writing.duck.run(sql)
  await copyTo(writing, 'swaps', 'swaps', (swaps) => `SELECT * REPLACE (${SOURCE} AS usd_source) FROM (${swaps})`)
  // A join keeps the order of its left side only if it is not turned around.
  await writing.duck.run("SET disabled_optimizers = 'build_side_probe_side'")
  await copyTo(writing, 'hops', 'hops', (hops) => withPool(hops, 'token_in', 'token_out'))
  await writing.duck.run('RESET disabled_optimizers')
  await writing.duck.run(SORTING_LIMIT)
  // All others are sorted here. To keep the order in which rows come takes memory.
  await writing.duck.run('SET preserve_insertion_order = false')
  await copyTo(writing, 'liquidity', 'liquidity', (liquidity) => liquidity)
  await keep(writing, 'candles')
}

/** Writes the other files, and returns what all of them hold. */
export async function deriveFiles(duck: Duck, folder: string): Promise<WrittenDay> {
  const fileOf = (table: TableName) => quoted(pathOf(folder, table))
  const write = (table: TableName, query: string) => duck.run(writeTable(folder, table, query))
  await write('candles', candles(fileOf('hops')))
  await write('flows', flows(fileOf('hops')))
  await write('pools', 'SELECT * FROM pools')
  const namedTokens = `SELECT sell_token FROM ${fileOf('swaps')} UNION SELECT buy_token FROM ${fileOf('swaps')}
    UNION SELECT token FROM ${fileOf('candles')}
    UNION SELECT unnest(list_concat(coins, underlying, [token0, token1])) FROM ${fileOf('pools')}`
  await write('tokens', `SELECT * FROM tokens WHERE address IN (${namedTokens})`)
  await write('day_totals', 'SELECT * FROM totals')
  await checkTotals(duck, fileOf('swaps'))
  const files = {} as Record<TableName, WrittenFile>
  for (const table of TABLE_NAMES) files[table] = await summed(duck, folder, table)
  const blocks = (['swaps', 'hops', 'liquidity'] as const).map((table) => `SELECT block_number FROM ${fileOf(table)}`)
  const [[first, last] = []] = await duck.rows(
    `SELECT min(block_number), max(block_number) FROM (${blocks.join(' UNION ALL ')})`,
  )
  return { files, blocks: first == null ? null : { first: Number(first), last: Number(last) } }
}

/** Postgres sends their rows in order: it sorts millions of them in less memory. */
const IN_ORDER: readonly TableName[] = ['swaps', 'hops']

const pathOf = (folder: string, table: TableName) => join(folder, `${table}.parquet`)

/** Copies rows of Postgres into a table of DuckDB. */
async function keep({ rows, duck }: Writing, name: RowsName): Promise<void> {
  const statement = (path: string) => `CREATE TABLE ${name} AS ${decodedRows(name, path)}`
  const sent = await rows.copy(name, (text) => duck.read(text, statement))
  await checkCount(duck, name, sent)
}

async function copyTo(
  { rows, duck, folder }: Writing,
  name: RowsName,
  table: TableName,
  query: (decoded: string) => string,
): Promise<void> {
  const statement = (path: string) => writeTable(folder, table, query(decodedRows(name, path)))
  const sent = await rows.copy(name, (text) => duck.read(text, statement))
  await checkCount(duck, quoted(pathOf(folder, table)), sent)
}

/** DuckDB takes a pipe that breaks for the end of the rows. */
async function checkCount(duck: Duck, relation: string, sent: number): Promise<void> {
  const [[read] = []] = await duck.rows(`SELECT count(*) FROM ${relation}`)
  if (Number(read) !== sent) throw new Error(`${sent} rows were read from Postgres, but ${read} written`)
}

function writeTable(folder: string, table: TableName, query: string): string {
  const { columns, order }: LakeTable = TABLES[table]
  const list = columns.map(([name, type]) => `${shortened(name, type)}::${type} AS ${name}`).join()
  const sorted = IN_ORDER.includes(table) ? '' : `ORDER BY ${order}`
  // By its Bloom filters of bytes, DuckDB 1.5 finds nothing.
  return `COPY (SELECT ${list} FROM (${query}) ${sorted})
    TO ${quoted(pathOf(folder, table))} (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE ${GROUP_ROWS}, WRITE_BLOOM_FILTER false)`
}

function shortened(name: string, type: string): string {
  if (type === 'DOUBLE') return rounded(name)
  if (type === 'DOUBLE[]') return `list_transform(${name}, lambda item: ${rounded('item')})`
  return name
}

/** Rounds to 24 bits, by Veltkamp's splitting. The exact value is in another column, and all 53 take a tenth of a day. */
function rounded(double: string): string {
  const scaled = `${double} * ${2 ** 29 + 1}`
  return `(${scaled} - (${scaled} - ${double}))`
}

const SOURCE = `[${USD_SOURCES.map(quoted).join()}][usd_source + 1]`

/**
 * A key is the end of an address, and several pools can share one. As in the API, the pool is then the only one of these
 * that trades both tokens of the hop.
 */
const POOLS_BY_KEY = [
  `CREATE TABLE pool_by_key AS
    SELECT pool_key, count(*) > 1 AS is_shared, any_value(address) AS address FROM pools GROUP BY pool_key`,
  `SET VARIABLE pool_by_tokens = (SELECT map_from_entries(list(row({'key': pool_key, 'a': a, 'b': b}, address))) FROM (
    SELECT pool_key, a, b, any_value(address) AS address FROM (
      SELECT pool_key, address, a, unnest(tokens) AS b FROM (
        SELECT pool_key, address, tokens, unnest(tokens) AS a FROM (
          SELECT pool_key, address, list_distinct(list_concat(coins, underlying, [token0, token1])) AS tokens
          FROM pools WHERE pool_key IN (SELECT pool_key FROM pool_by_key WHERE is_shared))))
    GROUP BY pool_key, a, b HAVING count(*) = 1))`,
]

/** Every row finds its key: a left join would change the order of rows that do not. */
function withPool(query: string, token: string, other: string): string {
  const byTokens = `getvariable('pool_by_tokens')[{'key': row.pool_key, 'a': row.${token}, 'b': row.${other}}]`
  return `SELECT row.*, CASE WHEN is_shared THEN ${byTokens} ELSE address END AS pool
    FROM (${query}) AS row LEFT JOIN pool_by_key ON pool_by_key.pool_key = row.pool_key`
}

const PRICES = ['open', 'high', 'low', 'close'] as const

/** Both sides of each pool's candles, and the sums of each token. */
function candles(hops: string): string {
  const side = (token: 0 | 1) => {
    const columns = PRICES.map(
      (price) =>
        `${price}${token} AS ${price}, coalesce(${price}${token}_double, open${token}_double) AS ${price}_double`,
    )
    const flow =
      token === 0 ? 'buys, buy_volume_usd' : 'trades - buys AS buys, volume_usd - buy_volume_usd AS buy_volume_usd'
    return `SELECT token${token} AS token, token${1 - token} AS other, pool_key, minute, trades, unpriced, volume_usd,
      ${flow}, open_at, close_at, ${columns.join()} FROM candles`
  }
  const ofTokens = `SELECT token, date_trunc('minute', block_time) AS minute, count(*) AS trades,
      count(*) - count(volume_usd) AS unpriced, coalesce(sum(volume_usd), 0) AS volume_usd,
      count(*) FILTER (WHERE token_out = token) AS buys,
      coalesce(sum(volume_usd) FILTER (WHERE token_out = token), 0) AS buy_volume_usd
    FROM (
      SELECT token_in AS token, token_out, block_time, volume_usd FROM ${hops}
      UNION ALL SELECT token_out, token_out, block_time, volume_usd FROM ${hops} WHERE token_in <> token_out
    ) GROUP BY ALL`
  const scaled = PRICES.map((price) => `${price}_double * pow(10, decimals - 42) AS ${price}_double`)
  return `SELECT candle.* REPLACE (${scaled.join()})
    FROM (
      ${withPool(`${side(0)} UNION ALL ${side(1)} WHERE token0 <> token1`, 'token', 'other')}
      UNION ALL BY NAME (${ofTokens})
    ) AS candle LEFT JOIN tokens ON tokens.address = candle.token`
}

/**
 * As `token_flow` in the database: by the pool's key, and without an anchor's side of a trade for another token.
 */
function flows(hops: string): string {
  return `SELECT token, CASE WHEN min(pool) = max(pool) AND count(pool) = count(*) THEN min(pool) END AS pool,
      pool_key, date_trunc('hour', block_time) AS hour, count(*) AS hops, sum(usd) AS net_usd
    FROM (
      SELECT token_in AS token, token_out AS other, -volume_usd AS usd, pool, pool_key, block_time FROM ${hops} WHERE sets_price
      UNION ALL
      SELECT token_out, token_in, volume_usd, pool, pool_key, block_time FROM ${hops} WHERE sets_price
    ) WHERE token NOT IN (SELECT token FROM anchors) OR other IN (SELECT token FROM anchors)
    GROUP BY token, pool_key, hour`
}

async function summed(duck: Duck, folder: string, table: TableName): Promise<WrittenFile> {
  const { columns, sums }: LakeTable = TABLES[table]
  const path = pathOf(folder, table)
  const isAmount = (column: string) => columns.some(([name, type]) => name === column && type === 'BLOB')
  const list = sums.map((column) => (isAmount(column) ? sumsOfLimbs(column) : `coalesce(sum(${column}), 0)::VARCHAR`))
  const [[rows, ...values] = []] = await duck.rows(`SELECT ${['count(*)', ...list].join()} FROM ${quoted(path)}`)
  const textOf = (value: unknown) => String(Array.isArray(value) ? joinLimbs(value) : value)
  return { path, rows: Number(rows), sums: Object.fromEntries(sums.map((column, n) => [column, textOf(values[n])])) }
}

const LIMBS = 4
const LIMB_BYTES = 8
const TWO_TO_128 = `unhex('${(2n ** 128n).toString(16).padStart(64, '0')}')`

/**
 * DuckDB has no integers of 256 bits, so every 64 bits of an amount have a sum of their own. Few amounts exceed 128 bits:
 * skipping the upper limbs of the others halves the time, to a quarter of a second per million amounts.
 */
function sumsOfLimbs(column: string): string {
  const limbs = Array.from({ length: LIMBS }, (_, n) => {
    const limb = `${column}[${n * LIMB_BYTES + 1}:${(n + 1) * LIMB_BYTES}]::BIT::UBIGINT`
    return n < LIMBS / 2 ? `CASE WHEN ${column} >= ${TWO_TO_128} THEN ${limb} END` : limb
  })
  return `[${limbs.map((limb) => `coalesce(sum(${limb}), 0)::VARCHAR`).join()}]`
}

function joinLimbs(sums: readonly string[]): bigint {
  return sums.reduce((sum, limb) => sum * 2n ** BigInt(8 * LIMB_BYTES) + BigInt(limb), 0n)
}

/** The day's total is counted with each commit, so a difference is a fault. */
async function checkTotals(duck: Duck, swaps: string): Promise<void> {
  const [[isEqual] = []] = await duck.rows(`
    SELECT (trades, unpriced, flagged, volume) = (
      coalesce((SELECT any_value(swaps) FROM totals), 0), coalesce((SELECT any_value(unpriced) FROM totals), 0),
      coalesce((SELECT any_value(flagged) FROM totals), 0), coalesce((SELECT any_value(volume_usd) FROM totals), 0))
    FROM (
      SELECT count(*) AS trades, count(*) - count(volume_usd) AS unpriced, count(*) FILTER (WHERE flags <> 0) AS flagged,
        coalesce(sum(volume_usd), 0) AS volume FROM ${swaps})`)
  if (isEqual !== true) throw new Error('the total of the day differs from its trades')
}
