import { type Address, DAY_S, usdText } from '@dexfeed/dex'
import type { ClientBase } from 'pg'
import type { Db } from '../../database/transaction.ts'
import { Prisma, type TokenCandle } from '../../generated/client.ts'
import { byteaText, bytesOf, json, type Stored, timeTexts } from '../../stored.ts'
import { copiedBytea, copyRows, NULL } from '../swap/copy-rows.ts'
import { hopsOfDay } from '../swap/swap-hop.ts'
import {
  atChangeAges,
  type CandleRow,
  candleColumns,
  closeAtIn,
  countedCandle,
  differingCandles,
  foldedCandle,
  mergedCandle,
  ofDay,
  placesIn,
  priceIn,
  type Span,
  storedCandles,
  storedCloseAt,
  storedOpenAt,
  storedPrice,
  within,
} from './merge-candles.ts'
import { ruledHops } from './price-rule.ts'
import type { TokenBucket } from './roll-up.ts'

// A row per token, minute and part (docs/internals/candles.md). Every statement here uses token_candle_pkey of the
// day's partition.

const KEY = ['chain_id', 'token', 'minute', 'part']
const SIDES = ['']
const COLUMNS = Prisma.raw([...KEY, ...candleColumns(SIDES)].join())
const CLOSE = Prisma.raw(priceIn('close', ''))
const CLOSE_AT = Prisma.raw(closeAtIn(''))
/** What a row adds to its candle. */
const PARTS = Prisma.sql`minute, trades, unpriced, volume_usd, ${placesIn('')}, open, high, low, close`

function* rowsOf(
  chainId: number,
  buckets: readonly TokenBucket[],
  onePart?: number,
): Generator<Stored<TokenCandle>, undefined> {
  const textOf = timeTexts()
  for (const bucket of buckets) {
    const { prices } = bucket
    const part = onePart ?? bucket.part
    yield {
      chain_id: chainId,
      token: byteaText(bucket.token),
      minute: textOf(bucket.time),
      part,
      trades: bucket.trades,
      unpriced: bucket.unpriced,
      volume_usd: usdText(bucket.usdE8),
      open_at: storedOpenAt(bucket, part),
      close_at: storedCloseAt(bucket),
      open: storedPrice(prices?.open),
      high: storedPrice(prices?.high, prices?.open),
      low: storedPrice(prices?.low, prices?.open),
      close: storedPrice(prices?.close, prices?.open),
    }
  }
}

/** Merges what the follower commits into its part of each minute. */
export async function mergeTokenCandles(tx: Db, chainId: number, buckets: readonly TokenBucket[]): Promise<void> {
  if (buckets.length === 0) return
  const rows = [...rowsOf(chainId, buckets, 0)]
  await tx.$executeRaw`
    INSERT INTO token_candle AS stored (${COLUMNS})
    SELECT ${COLUMNS} FROM json_populate_recordset(NULL::token_candle, ${json(rows)})
    ON CONFLICT (${Prisma.raw(KEY.join())}) DO UPDATE SET ${mergedCandle(SIDES)}`
}

const COPY = `COPY token_candle (${[...KEY, ...candleColumns(SIDES)].join()}) FROM STDIN`

/** Writes candles of history as parts beside the stored ones, over the connection of the transaction. */
export async function copyTokenCandles(
  connection: ClientBase,
  chainId: number,
  buckets: readonly TokenBucket[],
): Promise<void> {
  if (buckets.length > 0) await copyRows(connection, COPY, rowsOf(chainId, buckets), line)
}

function line(row: Stored<TokenCandle>): string {
  return (
    `${row.chain_id}\t${copiedBytea(row.token)}\t${row.minute}\t${row.part}\t${row.trades}\t${row.unpriced}\t` +
    `${row.volume_usd}\t${row.open_at ?? NULL}\t${row.close_at ?? NULL}\t${row.open ?? NULL}\t${row.high ?? NULL}\t` +
    `${row.low ?? NULL}\t${row.close ?? NULL}\n`
  )
}

/** Rolls up hops, in the order of the columns. */
function countedTokenCandles(hops: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`
    SELECT chain_id, token, minute, min(at) AS part, ${countedCandle(SIDES)}
    FROM (${ruledHops(hops)}) AS hop
    CROSS JOIN LATERAL (VALUES (token0, price0, true), (token1, price1, token1 <> token0)) AS side (token, price, counts)
    WHERE counts GROUP BY chain_id, token, minute`
}

/** Recomputes the candles of these tokens (text of a bytea) and minutes (first seconds) from the hops that are left. */
export async function remakeTokenCandles(
  tx: Db,
  chainId: number,
  gone: readonly { minute: number; token: string }[],
  left: Prisma.Sql,
): Promise<void> {
  if (gone.length === 0) return
  const keys = Prisma.sql`(SELECT to_timestamp(minute) AS minute, token
    FROM json_to_recordset(${json(gone)}) AS one (minute bigint, token bytea)) AS gone`
  await tx.$executeRaw`
    DELETE FROM token_candle AS stored USING ${keys}
    WHERE stored.chain_id = ${chainId} AND stored.token = gone.token AND stored.minute = gone.minute`
  // A hop may be left whose other token has no candle to recompute.
  await tx.$executeRaw`
    INSERT INTO token_candle (${COLUMNS})
    SELECT made.* FROM (${countedTokenCandles(left)}) AS made JOIN ${keys} USING (token, minute)`
}

export interface TokenMinute {
  token: Address
  /** First second of the minute. */
  minute: number
}

export interface MinuteCandleRow extends CandleRow {
  token: Address
}

/** Selects the candles of some minutes of some tokens, with their parts merged. */
export function minuteCandles(chainId: number, minutes: readonly TokenMinute[]): Prisma.Sql {
  const requested = minutes.map(({ token, minute }) => ({ token: byteaText(token), minute }))
  const times = minutes.map(({ minute }) => minute)
  const span = { from: Math.min(...times), to: Math.max(...times) + 1 }
  const parts = Prisma.sql`SELECT token, ${PARTS} FROM token_candle WHERE chain_id = ${chainId} AND ${within(span)}`
  return Prisma.sql`
    SELECT '0x' || encode(token, 'hex') AS token, extract(epoch FROM minute)::float8 AS time, trades::float8 AS trades,
      unpriced::float8 AS unpriced, volume_usd::text AS volume, open::text, high::text, low::text, close::text
    FROM (
      SELECT token, minute, ${foldedCandle(SIDES)}
      FROM (SELECT token, to_timestamp(minute) AS minute
        FROM json_to_recordset(${json(requested)}) AS one (minute bigint, token bytea)) AS requested
      JOIN (${parts}) AS parts USING (token, minute) GROUP BY token, minute
    ) AS folded`
}

/** Selects the price of each of these tokens: the close of its last minute that has one. */
export function lastPrices(chainId: number, tokens: readonly Address[]): Prisma.Sql {
  return Prisma.sql`
    SELECT '0x' || encode(requested.token, 'hex') AS token, last.price::text AS price
    FROM unnest(${tokens.map(byteaText)}::text[]::bytea[]) AS requested (token)
    LEFT JOIN LATERAL (
      SELECT ${CLOSE} AS price FROM token_candle
      WHERE chain_id = ${chainId} AND token = requested.token AND open IS NOT NULL
      ORDER BY minute DESC, ${CLOSE_AT} DESC LIMIT 1
    ) AS last ON true`
}

export interface PastPriceRow {
  token: Address
  /** USD per base unit times 10^42; null without a price. */
  price: string | null
  /** First second of its minute. */
  minute: number | null
}

/** Selects the price of each of these tokens in a span: the close of its last minute there that has one. */
export function pricesWithin(chainId: number, tokens: readonly Address[], span: Span): Prisma.Sql {
  return Prisma.sql`
    SELECT '0x' || encode(requested.token, 'hex') AS token, last.price::text AS price,
      extract(epoch FROM last.minute)::float8 AS minute
    FROM unnest(${tokens.map(byteaText)}::text[]::bytea[]) AS requested (token)
    LEFT JOIN LATERAL (
      SELECT ${CLOSE} AS price, minute FROM token_candle
      WHERE chain_id = ${chainId} AND token = requested.token AND ${within(span)} AND open IS NOT NULL
      ORDER BY minute DESC, ${CLOSE_AT} DESC LIMIT 1
    ) AS last ON true`
}

/** Selects the candles of a token. */
export function tokenCandles(chainId: number, token: Address, span: Span): Prisma.Sql {
  return Prisma.sql`
    SELECT ${PARTS} FROM token_candle
    WHERE chain_id = ${chainId} AND token = ${bytesOf(token)} AND ${within(span)}`
}

/** Selects the volume of a token's pools, by minute. */
export function tokenVolumes(chainId: number, token: Address, span: Span): Prisma.Sql {
  return Prisma.sql`
    SELECT minute, trades, unpriced, volume_usd FROM token_candle
    WHERE chain_id = ${chainId} AND token = ${bytesOf(token)} AND ${within(span)}`
}

/** A token's last day: its hops, its last price at its end and before, and its first trade. */
export interface TokenDayRow {
  /** Text of a bytea. */
  token: string
  trades: number
  unpriced: number
  volume: string
  price: string | null
  /** Its prices at CHANGE_AGES_S. */
  before: (string | null)[]
  /** Seconds since 1970. */
  first: number | null
}

/** Selects the last day of tokens. A price is the last close, at most a day before the span's start. */
export function tokenDays(chainId: number, tokens: readonly Address[], { from, to }: Span): Prisma.Sql {
  const last = (before: number) => Prisma.sql`
    SELECT ${CLOSE}::text FROM token_candle AS priced
    WHERE chain_id = ${chainId} AND token = requested.token AND ${within({ from: from - DAY_S, to: before })}
      AND open IS NOT NULL ORDER BY minute DESC, ${CLOSE_AT} DESC LIMIT 1`
  return Prisma.sql`
    SELECT token, trades, unpriced, volume, (${last(to)}) AS price,
      ${atChangeAges(to, last)} AS before,
      extract(epoch FROM first.minute)::float8 AS first
    FROM unnest(${tokens.map(byteaText)}::text[]::bytea[]) AS requested (token)
    CROSS JOIN LATERAL (
      SELECT coalesce(sum(day.trades), 0)::float8 AS trades, coalesce(sum(day.unpriced), 0)::float8 AS unpriced,
        round(coalesce(sum(day.volume_usd), 0), 8)::text AS volume
      FROM token_candle AS day WHERE chain_id = ${chainId} AND token = requested.token AND ${within({ from, to })}
    ) AS counted
    LEFT JOIN LATERAL (
      SELECT minute FROM token_candle AS kept WHERE chain_id = ${chainId} AND token = requested.token ORDER BY minute LIMIT 1
    ) AS first ON true`
}

/** Selects the candles of a day (YYYY-MM-DD) that differ from its hops, as `key`, `stored`, `counted`. */
export function differingTokenCandles(date: string, limit: number): Prisma.Sql {
  const stored = storedCandles('token_candle', KEY, SIDES, date)
  const counted = countedTokenCandles(hopsOfDay(date))
  return differingCandles({ stored, counted }, 'chain_id, token, minute', SIDES, limit)
}

/** Recomputes the candles of a day from its hops; the caller holds the rows of all networks exclusively. */
export async function recountTokenCandles(tx: Db, date: string): Promise<void> {
  await tx.$executeRaw`DELETE FROM token_candle WHERE ${ofDay(date)}`
  await tx.$executeRaw`INSERT INTO token_candle (${COLUMNS}) ${countedTokenCandles(hopsOfDay(date))}`
}
