import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { Database } from '@dexfeed/store'
import { tableContents } from '@dexfeed/test-setup/table-dump'
import { DuckDBInstance } from '@duckdb/node-api'
import type { Manifest } from '../src/manifest.ts'
import { TABLE_NAMES, TABLES, type TableName } from '../src/tables.ts'

export type Lines = Record<string, string[]>

const word = (digits: string) => BigInt(digits).toString(16).padStart(64, '0')
const sorted = (rows: readonly (readonly unknown[])[]) => rows.map((row) => JSON.stringify(row)).sort()
const keyOf = (hex: string | null) => (hex === null ? null : String(BigInt.asIntN(64, BigInt(`0x${hex.slice(-16)}`))))
const amountOf = (digits: string | null) => (digits === null ? [null, null] : [word(digits), double(BigInt(digits))])

/** Rounded to 24 bits. The shift keeps amounts within the range of such numbers. */
const double = (amount: bigint) => Math.fround(Number(amount) / 2 ** 130) * 2 ** 130

const HOPS = `(SELECT chain_id, block_number, transaction_index, log_index, position, block_time, pool_key, token_in, amount_in,
    token_out, amount_out, volume_usd, flags FROM swap_hop
  UNION ALL SELECT chain_id, block_number, transaction_index, hop_log_index, position, block_time, pool_key, sell_token,
    sell_amount, buy_token, buy_amount, volume_usd, flags & ~(1 + 8 + 64 + 256) FROM swap WHERE hop_log_index IS NOT NULL) AS hop`
const PLACE = 'block_number::text, transaction_index'
const SECONDS = (column: string) => `extract(epoch FROM ${column})::float8`
const SOURCES = `(ARRAY['stablecoin', 'route-stablecoin', 'native', 'anchor'])[usd_source + 1]`

/** What the lake must hold of a day, from the tables of Postgres, as sorted lines. */
export async function plainDay(pool: Database['pool'], date: string): Promise<Lines> {
  const of = (time: string) =>
    `${time} >= '${date} 00:00+00' AND ${time} < '${date} 00:00+00'::timestamptz + interval '1 day'`
  const read = async (sql: string) => (await pool.query({ text: sql, rowMode: 'array' })).rows as unknown[][]
  const text = (value: unknown) => value as string | null
  const swaps =
    await read(`SELECT ${PLACE}, position, ${SECONDS('block_time')}, encode(tx_hash, 'hex'), encode(trader, 'hex'),
      encode(settled_for, 'hex'), encode(sell_token, 'hex'), sell_native, encode(buy_token, 'hex'), buy_native,
      volume_usd::text, ${SOURCES}, flags, sell_amount::text, buy_amount::text FROM swap WHERE ${of('block_time')}`)
  const hops =
    await read(`SELECT ${PLACE}, log_index, position, ${SECONDS('block_time')}, pool_key::text, encode(token_in, 'hex'),
      encode(token_out, 'hex'), volume_usd::text, flags, amount_in::text, amount_out::text FROM ${HOPS} WHERE ${of('block_time')}`)
  const liquidity = await read(`SELECT ${PLACE}, log_index, ${SECONDS('block_time')}, encode(tx_hash, 'hex'),
      encode(account, 'hex'), encode(pool, 'hex'), added, tick_lower, tick_upper, value_usd::text, amounts::text[],
      liquidity::text FROM liquidity_event WHERE ${of('block_time')}`)
  const totals = await read(
    `SELECT swaps::text, unpriced::text, flagged::text, volume_usd::text FROM day_total WHERE day = '${date}'`,
  )
  const withAmounts = (rows: unknown[][], count: number) =>
    rows.map((row) => [...row.slice(0, -count), ...row.slice(-count).flatMap((digits) => amountOf(text(digits)))])
  const pools =
    await read(`SELECT encode(address, 'hex'), dex, encode(factory, 'hex'), encode(token0, 'hex'), encode(token1, 'hex'),
      fee, tick_spacing, ARRAY(SELECT encode(c, 'hex') FROM unnest(coins) AS c) FROM pool`)
  return {
    swaps: sorted(withAmounts(swaps, 2)),
    hops: sorted(withAmounts(hops, 2)),
    liquidity: sorted(
      withAmounts(liquidity, 1).map((row) => {
        const amounts = row[11] as string[]
        const known =
          amounts.length === 0 ? [null, null] : [amounts.map(word), amounts.map((item) => double(BigInt(item)))]
        return [...row.slice(0, 11), ...known, ...row.slice(12)]
      }),
    ),
    day_totals: sorted(totals),
    all_pools: sorted(pools),
    tokens: sorted(await read(`SELECT encode(address, 'hex'), symbol, name, decimals FROM token`)),
    ...(await plainRollUps(pool, date)),
  }
}

/** The stored candles and flows, merged from their parts, by the keys of pools and tokens. */
async function plainRollUps(pool: Database['pool'], date: string): Promise<Lines> {
  const day = `${date} `
  const contents = await tableContents(pool, ['pool_candle', 'token_volume', 'token_flow'])
  const rows = (table: string, time: number) =>
    (contents[table] ?? [])
      .map((line) =>
        line
          .slice(1, -1)
          .split(',')
          .map((cell) => (cell === '' ? null : cell.replaceAll('"', ''))),
      )
      .filter((cells) => String(cells[time]).startsWith(day))
  const wordsOf = ([open, ...others]: (string | null)[]) =>
    [open, ...others.map((price) => (price === open ? null : price))].map((price) =>
      price == null ? null : word(price),
    )
  const sides = rows('pool_candle', 2).flatMap(
    ([, key, minute, token0, token1, trades, unpriced, volume, buys, buyVolume, openAt, closeAt, ...prices]) => {
      const common = [key, minute, trades, unpriced, usd(volume)]
      const [of0, of1] = [wordsOf(prices.slice(0, 4)), wordsOf(prices.slice(4, 8))]
      const side0 = [token0, token1, ...common, buys, usd(buyVolume), openAt, closeAt, ...of0]
      const sells = String(Number(trades) - Number(buys))
      const sold = usdText(e8(volume) - e8(buyVolume))
      const side1 = [token1, token0, ...common, sells, sold, openAt, closeAt, ...of1]
      return token0 === token1 ? [side0] : [side0, side1]
    },
  )
  const tokens = rows('token_volume', 2).map(([, token, minute, trades, unpriced, volume, buys, buyVolume]) => [
    token?.replace(/^\\+x/, ''),
    ...[minute, trades, unpriced, usd(volume), buys, usd(buyVolume)],
  ])
  const flows = rows('token_flow', 2).map(([, token, hour, key, hops, net]) => [token, hour, key, hops, usd(net)])
  return { pool_candles: sorted(sides), token_candles: sorted(tokens), flows: sorted(flows) }
}

const e8 = (text: string | null | undefined) => {
  const [whole = '0', fraction = ''] = (text ?? '0').replace('-', '').split('.')
  const value = BigInt(whole + fraction.padEnd(8, '0'))
  return text?.startsWith('-') ? -value : value
}
const usdText = (value: bigint) => {
  const digits = String(value < 0n ? -value : value).padStart(9, '0')
  return `${value < 0n ? '-' : ''}${digits.slice(0, -8)}.${digits.slice(-8)}`
}
const usd = (text: string | null | undefined) => (text == null ? null : usdText(e8(text)))

const STAMP = (column: string) => `strftime(${column}, '%Y-%m-%d %H:%M:%S+00')`
const HEX = (column: string) => `lower(hex(${column}))`

const PRICES = ['open', 'high', 'low', 'close']

/** What the files of a manifest hold, in the same form. */
export async function lakeDay(lake: string, manifest: Manifest): Promise<Lines> {
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' })
  const connection = await instance.connect()
  await connection.run("SET TimeZone = 'UTC'")
  const read = async (table: TableName, columns: string, where = 'true') => {
    const path = join(lake, manifest.tables[table].file)
    const sql = `SELECT ${columns} FROM read_parquet('${path}', hive_partitioning = false) WHERE ${where}`
    return (await connection.runAndReadAll(sql)).getRowsJson() as unknown[][]
  }
  const checkOrder = async (table: TableName) => {
    const { order } = TABLES[table]
    const columns = order.replaceAll(' NULLS FIRST', '')
    const inOrder = await read(table, columns, `true ORDER BY ${order}`)
    if (!isDeepStrictEqual(await read(table, columns), inOrder)) throw new Error(`${table} is not sorted`)
  }
  const amount = (name: string) => `${HEX(name)}, ${name}_double`
  const place = 'block_number, transaction_index'
  try {
    for (const table of TABLE_NAMES) await checkOrder(table)
    const sides = await read(
      'candles',
      `${HEX('token')}, ${HEX('other')}, pool_key, ${STAMP('minute')}, trades::VARCHAR, unpriced::VARCHAR, volume_usd,
        buys::VARCHAR, buy_volume_usd, open_at, close_at, ${HEX('open')}, ${HEX('high')}, ${HEX('low')}, ${HEX('close')}`,
      'pool_key IS NOT NULL',
    )
    const flows = await read('flows', `${HEX('token')}, ${STAMP('hour')}, pool_key, hops::VARCHAR, net_usd`)
    return {
      swaps: sorted(
        await read(
          'swaps',
          `${place}, position, epoch(block_time), ${HEX('tx_hash')}, ${HEX('trader')}, ${HEX('settled_for')}, ${HEX('sell_token')},
            sell_native, ${HEX('buy_token')}, buy_native, volume_usd, usd_source, flags, ${amount('sell_amount')}, ${amount('buy_amount')}`,
        ),
      ),
      hops: sorted(
        await read(
          'hops',
          `${place}, log_index, position, epoch(block_time), pool_key, ${HEX('token_in')}, ${HEX('token_out')}, volume_usd, flags,
            ${amount('amount_in')}, ${amount('amount_out')}`,
        ),
      ),
      liquidity: sorted(
        await read(
          'liquidity',
          `${place}, log_index, epoch(block_time), ${HEX('tx_hash')}, ${HEX('account')}, ${HEX('pool')}, added, tick_lower,
            tick_upper, value_usd, list_transform(amounts, lambda item: ${HEX('item')}), amounts_double, ${amount('liquidity')}`,
        ),
      ),
      day_totals: sorted(await read('day_totals', 'swaps, unpriced, flagged, volume_usd')),
      tokens: sorted(await read('tokens', `${HEX('address')}, symbol, name, decimals`)),
      pools: sorted(
        await read(
          'pools',
          `${HEX('address')}, dex, ${HEX('factory')}, ${HEX('token0')}, ${HEX('token1')}, fee, tick_spacing,
            coalesce(list_transform(coins, lambda item: ${HEX('item')}), [])`,
        ),
      ),
      pool_candles: sorted(
        sides.map(([token, other, ...row]) => [keyOf(token as string), keyOf(other as string), ...row]),
      ),
      token_candles: sorted(
        await read(
          'candles',
          `${HEX('token')}, ${STAMP('minute')}, trades::VARCHAR, unpriced::VARCHAR, volume_usd, buys::VARCHAR, buy_volume_usd`,
          'pool_key IS NULL',
        ),
      ),
      flows: sorted(flows.map(([token, ...row]) => [keyOf(token as string), ...row])),
      prices: sorted(
        await read(
          'candles',
          `${HEX('token')}, unnest([${PRICES.map((price) => HEX(`coalesce(${price}, open)`)).join()}]),
            unnest([${PRICES.map((price) => `${price}_double`).join()}])`,
          'open IS NOT NULL',
        ),
      ),
      hop_pools: sorted(
        await read('hops', `DISTINCT pool_key, ${HEX('token_in')}, ${HEX('token_out')}, ${HEX('pool')}`),
      ),
    }
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}
