import {
  type Address,
  type BlockPoint,
  type BlockRange,
  dayOf,
  hopFlags,
  type PoolAddress,
  type PricedTrade,
  startOfDay,
  USD_SOURCES,
  usdE8Of,
  usdText,
} from '@dexfeed/dex'
import type { ClientBase } from 'pg'
import type { Db } from '../../database/transaction.ts'
import { Prisma, type Swap } from '../../generated/client.ts'
import {
  byteaText,
  comparedValues,
  hexOf,
  inBlocks,
  json,
  readRows,
  type Stored,
  type StoredRow,
  timeOf,
  timeTexts,
} from '../../stored.ts'
import { COPIED_CHAIN, COPIED_DAY, type CopiedRows } from '../copied-rows.ts'
import {
  ALL_TRADES,
  addTotal,
  type DayCounts,
  type DayTotalCount,
  HourCounts,
  type TraderOfDay,
} from '../day-counts.ts'
import { isOfKeptDay } from '../kept-days.ts'
import { copiedBytea as bytea, copyRows, NULL } from './copy-rows.ts'
import { CELL_BLOCKS } from './list-cell.ts'
import { keyOf, poolKey } from './pool-key.ts'
import { HOPS, hopInTrade } from './swap-hop.ts'

// swap has a row per trade, in a partition per UTC day (day-partition.ts). Comments call the primary key of the
// partitions swap_pkey.

const VALUES = [
  ...(['block_time', 'tx_hash', 'trader', 'sell_token', 'sell_native', 'sell_amount'] as const),
  ...(['buy_token', 'buy_native', 'buy_amount', 'volume_usd', 'usd_source', 'flags', 'settled_for'] as const),
] as const satisfies (keyof Stored<Swap>)[]

/** Columns compared between a stored trade and the chain. */
export const TRADE_COLUMNS = [...VALUES, 'hops'] as const

const COLUMNS = [
  'chain_id',
  'block_number',
  'transaction_index',
  'position',
  ...VALUES,
  'pool_key',
  'hop_log_index',
  'parts',
] as const

type Missing = Exclude<keyof Stored<Swap>, (typeof COLUMNS)[number]>
const COLUMN_LIST = COLUMNS.join() satisfies [Missing] extends [never] ? string : never

function toRow(chainId: number, trade: PricedTrade, time: string, parts = 0): Stored<Swap> {
  const { sell, buy, usdE8, source, trader, settledFor } = trade
  // Hops that several trades share may be stored with another trade.
  const pool = (trade.hops[0] ?? trade.routes?.[0]?.hops[0])?.pool.address
  return {
    chain_id: chainId,
    block_number: trade.blockNumber,
    transaction_index: trade.transactionIndex,
    position: trade.position,
    block_time: time,
    tx_hash: byteaText(trade.txHash),
    trader: trader === null ? null : byteaText(trader),
    sell_token: byteaText(sell.token),
    sell_native: sell.native,
    sell_amount: String(sell.amount),
    buy_token: byteaText(buy.token),
    buy_native: buy.native,
    buy_amount: String(buy.amount),
    volume_usd: usdE8 === null ? null : usdText(usdE8),
    usd_source: source === null ? null : USD_SOURCES.indexOf(source),
    flags: trade.flags,
    settled_for: settledFor === null ? null : byteaText(settledFor),
    pool_key: pool === undefined ? null : poolKey(pool),
    hop_log_index: hopInTrade(trade)?.logIndex ?? null,
    parts,
  }
}

export async function insertSwaps(tx: Db, chainId: number, trades: readonly PricedTrade[]): Promise<void> {
  if (trades.length === 0) return
  const columns = Prisma.raw(COLUMN_LIST)
  await tx.$executeRaw`
    INSERT INTO swap (${columns})
    SELECT ${columns} FROM json_populate_recordset(NULL::swap, ${json([...swapRows(chainId, trades)])})`
}

export async function copySwaps(
  connection: ClientBase,
  chainId: number,
  trades: readonly PricedTrade[],
  parts: Uint8Array,
): Promise<void> {
  if (trades.length > 0) {
    await copyRows(connection, `COPY swap (${COLUMN_LIST}) FROM STDIN`, swapRows(chainId, trades, parts), line)
  }
}

function* swapRows(
  chainId: number,
  trades: readonly PricedTrade[],
  parts?: Uint8Array,
): Generator<Stored<Swap>, undefined> {
  const textOf = timeTexts()
  let index = 0
  for (const trade of trades) {
    yield toRow(chainId, trade, textOf(trade.timestamp), parts?.[index])
    index += 1
  }
}

/** Written out, because joining a list of the values takes twice as long. */
function line(row: Stored<Swap>): string {
  return (
    `${row.chain_id}\t${row.block_number}\t${row.transaction_index}\t${row.position}\t${row.block_time}\t` +
    `${bytea(row.tx_hash)}\t${bytea(row.trader)}\t${bytea(row.sell_token)}\t${row.sell_native}\t${row.sell_amount}\t` +
    `${bytea(row.buy_token)}\t${row.buy_native}\t${row.buy_amount}\t${row.volume_usd ?? NULL}\t` +
    `${row.usd_source ?? NULL}\t${row.flags}\t${bytea(row.settled_for)}\t${row.pool_key ?? NULL}\t` +
    `${row.hop_log_index ?? NULL}\t${row.parts}\n`
  )
}

export function samePlace(a: string, b: string): Prisma.Sql {
  const columns = ['chain_id', 'block_number', 'transaction_index', 'position', 'block_time']
  return Prisma.raw(columns.map((column) => `${a}.${column} = ${b}.${column}`).join(' AND '))
}

export const GIVE_KNOWN_VALUES = Prisma.sql`
  UPDATE swap s SET volume_usd = known.volume_usd, usd_source = known.usd_source, flags = known.flags
  FROM known WHERE known.stateable AND s.volume_usd IS NULL AND ${samePlace('s', 'known')}
  RETURNING s.block_time, s.block_number, s.volume_usd, s.flags, known.flags_before`

interface Gone {
  hour: number
  trader: string | null
  swaps: number
  unpriced: number
  flagged: number
  volume: string
}

export async function deleteSwaps(tx: Db, chainId: number, range: BlockRange): Promise<DayCounts> {
  const rows = await readGone(tx, chainId, range)
  const totals = new Map<number, DayTotalCount>()
  const traders = new Map<string, TraderOfDay>()
  const hours = new HourCounts()
  for (const { hour, trader, swaps, unpriced, flagged, volume } of rows) {
    const day = dayOf(hour)
    const volumeE8 = usdE8Of(volume)
    addTotal(totals, day, { swaps, unpriced, flagged, volumeE8 })
    hours.add({ hour, protocol: ALL_TRADES, trades: swaps, unpriced, usdE8: volumeE8 })
    if (trader !== null) traders.set(`${day} ${trader}`, { day, trader: hexOf(trader) })
  }
  return { totals: [...totals.values()], traders: [...traders.values()], hours: hours.all() }
}

/** Returns the rows as one value, like `readRows`, which cannot wrap a DELETE in a sub-query. */
async function readGone(tx: Db, chainId: number, range: BlockRange): Promise<Gone[]> {
  const [found] = await tx.$queryRaw<{ rows: string }[]>`
    WITH gone AS (
      DELETE FROM swap WHERE ${inBlocks(chainId, range)}
      RETURNING block_time, trader, volume_usd, flags
    ), counted AS (
      SELECT extract(epoch FROM date_trunc('hour', block_time))::bigint AS hour, trader,
        count(*) AS swaps, count(*) FILTER (WHERE volume_usd IS NULL) AS unpriced,
        count(*) FILTER (WHERE flags <> 0) AS flagged, coalesce(sum(volume_usd), 0)::text AS volume
      FROM gone GROUP BY 1, 2
    )
    SELECT coalesce(json_agg(counted), '[]')::text AS rows FROM counted`
  return JSON.parse(found?.rows ?? '[]')
}

export function swapsOfDay(date: string | Prisma.Sql): Prisma.Sql {
  return Prisma.sql`(SELECT * FROM swap WHERE block_time >= ${date}::date::timestamp AT TIME ZONE 'UTC'
    AND block_time < (${date}::date + 1)::timestamp AT TIME ZONE 'UTC')`
}

export const COPIED_SWAPS: CopiedRows = {
  columns: {
    block_number: 'bigint',
    transaction_index: 'integer',
    position: 'integer',
    block_time: 'time',
    tx_hash: 'hex',
    trader: 'hex',
    settled_for: 'hex',
    sell_token: 'hex',
    sell_native: 'boolean',
    sell_amount: 'amount',
    buy_token: 'hex',
    buy_native: 'boolean',
    buy_amount: 'amount',
    volume_usd: 'usd',
    usd_source: 'integer',
    flags: 'integer',
  },
  rows: Prisma.sql`SELECT * FROM ${swapsOfDay(COPIED_DAY)} AS of_day WHERE chain_id = ${COPIED_CHAIN}
    ORDER BY block_number, transaction_index, position`,
}

/**
 * `trader` and `day` are names of columns. The day is one of `among` (since 1970, UTC), so that only their partitions
 * are read.
 */
export function swapsOfTrader(chainId: number, trader: string, day: string, among: readonly number[]): Prisma.Sql {
  return Prisma.sql`SELECT FROM swap WHERE chain_id = ${chainId} AND trader = ${Prisma.raw(trader)}
    AND block_time >= ${Prisma.raw(day)}::timestamp AT TIME ZONE 'UTC'
    AND block_time < (${Prisma.raw(day)} + 1)::timestamp AT TIME ZONE 'UTC'
    AND block_time >= to_timestamp(${startOfDay(Math.min(...among))})
    AND block_time < to_timestamp(${startOfDay(Math.max(...among) + 1)})`
}

/** Returns the blocks of the `count` newest trades of kept days in blocks up to `to`; null without trades. */
export async function readNewestBlocks(db: Db, chainId: number, to: number, count: number): Promise<BlockRange | null> {
  const [row] = await readRows<{ from: number | null; to: number | null }>(
    db,
    Prisma.sql`
      SELECT min(block_number) AS "from", max(block_number) AS "to" FROM (
        SELECT block_number FROM swap WHERE chain_id = ${chainId} AND block_number <= ${to}
          AND ${isOfKeptDay(Prisma.sql`block_time`)}
        ORDER BY block_number DESC LIMIT ${count}) AS newest`,
  )
  return row?.from == null || row.to === null ? null : { from: row.from, to: row.to }
}

/** Returns the lowest block with a trade at this time (seconds) or later. */
export async function readFirstTradeSince(db: Db, chainId: number, time: number): Promise<BlockPoint | null> {
  const [block] = await readRows<BlockPoint>(
    db,
    Prisma.sql`
      SELECT block_number AS number, extract(epoch FROM block_time)::float8 AS timestamp FROM swap
      WHERE chain_id = ${chainId} AND block_time >= to_timestamp(${time}) ORDER BY block_number LIMIT 1`,
  )
  return block ?? null
}

export interface PoolTrades {
  pool: PoolAddress
  trades: number
}

/** Counts the trades of the 24 hours before the head by pool. Reads all their rows. */
export async function readPoolTrades(db: Db, chainId: number): Promise<PoolTrades[]> {
  const query = Prisma.sql`
    SELECT pool.address AS pool, sum(counted.trades)::float8 AS trades
    FROM (
      SELECT pool_key, count(*) AS trades FROM swap
      WHERE chain_id = ${chainId} AND pool_key IS NOT NULL
        AND block_time > (SELECT head_time FROM network WHERE chain_id = ${chainId}) - interval '1 day'
      GROUP BY pool_key
    ) AS counted
    JOIN pool ON pool.chain_id = ${chainId}
      AND ${keyOf('pool.address')} = counted.pool_key
    GROUP BY pool.address`
  const rows = await readRows<{ pool: string; trades: number }>(db, query)
  return rows.map(({ pool, trades }) => ({ pool: hexOf(pool), trades }))
}

type Compared = Stored<Swap> & {
  /** Pool, amounts, value and flags of each hop, in log order. */
  hops: string | null
}

export async function readStoredTrades(db: Db, chainId: number, range: BlockRange): Promise<StoredRow[]> {
  // The casts override columns of `*`: JSON keeps the last of two values with the same name.
  const query = Prisma.sql`
    SELECT *, sell_amount::text, buy_amount::text, volume_usd::text, (
      SELECT string_agg(
        concat_ws(' ', hop.pool_key, hop.amount_in, hop.amount_out, coalesce(hop.volume_usd::text, 'unpriced'), hop.flags),
        ', ' ORDER BY hop.log_index)
      FROM ${HOPS} AS hop WHERE ${samePlace('hop', 'swap')}) AS hops
    FROM swap
    WHERE ${inBlocks(chainId, range)}
    ORDER BY block_number, transaction_index, position`
  return (await readRows<Compared>(db, query)).map(toStoredTrade)
}

export function asStoredTrade(trade: PricedTrade): StoredRow {
  const hops = trade.hops
    .map(({ pool, logIndex, amountIn, amountOut }, index) => {
      const usdE8 = trade.hopsUsdE8[index] ?? null
      const value = `${usdE8 === null ? 'unpriced' : usdText(usdE8)} ${hopFlags(trade, index)}`
      return { logIndex, text: `${poolKey(pool.address)} ${amountIn} ${amountOut} ${value}` }
    })
    .sort((a, b) => a.logIndex - b.logIndex)
    .map(({ text }) => text)
  const row = toRow(0, trade, timeOf(trade.timestamp).toISOString())
  return toStoredTrade({ ...row, hops: hops.length === 0 ? null : hops.join(', ') })
}

function toStoredTrade(row: Compared): StoredRow {
  return {
    blockNumber: Number(row.block_number),
    transactionIndex: row.transaction_index,
    position: row.position,
    values: comparedValues(TRADE_COLUMNS, row),
  }
}

export async function cellsOfTokens(tx: Db, chainId: number, tokens: readonly Address[]): Promise<number[]> {
  const addresses = Prisma.sql`(${tokens.map(byteaText)}::text[]::bytea[])`
  const cells = (column: Prisma.Sql) => Prisma.sql`
    SELECT block_number / ${CELL_BLOCKS}::bigint AS cell FROM swap WHERE chain_id = ${chainId} AND ${column} = ANY ${addresses}`
  const rows = await readRows<{ cell: number }>(
    tx,
    Prisma.sql`${cells(Prisma.sql`sell_token`)} UNION ${cells(Prisma.sql`buy_token`)}`,
  )
  return rows.map(({ cell }) => cell)
}
