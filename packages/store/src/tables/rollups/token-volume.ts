import { type Address, MINUTE_S, usdText } from '@dexfeed/dex'
import type { ClientBase } from 'pg'
import type { Db } from '../../database/transaction.ts'
import { Prisma, type TokenVolume } from '../../generated/client.ts'
import { byteaText, bytesOf, json, readRows, type Stored, timeTexts } from '../../stored.ts'
import { copiedBytea, copyRows } from '../swap/copy-rows.ts'
import { type GoneHops, hopsOfDay } from '../swap/swap-hop.ts'
import { type AgeSums, dayFigures } from './day-figures.ts'
import {
  heldTokenVolumes,
  NOT_HELD_BY_TOKEN,
  ofKeptDays,
  type PartColumns,
  type PartCondition,
} from './held-candles.ts'
import {
  asColumns,
  countedSums,
  differing,
  FOLDED_SUMS,
  intervalOf,
  MERGED_SUMS,
  ORDER_FLOW,
  type OrderFlow,
  ofDay,
  type Span,
  SUMS,
  secondsOfTime,
  sumsText,
  within,
} from './merge-candles.ts'
import { ruledHops } from './price-rule.ts'
import type { TokenBucket } from './roll-up.ts'

const KEY = ['chain_id', 'token', 'minute', 'part']
const COLUMNS = Prisma.raw([...KEY, ...SUMS].join())
const ROWS: PartColumns = { token: Prisma.sql`token`, time: Prisma.sql`minute` }

function* rowsOf(
  chainId: number,
  buckets: readonly TokenBucket[],
  onePart?: number,
): Generator<Stored<TokenVolume>, undefined> {
  const textOf = timeTexts()
  for (const bucket of buckets) {
    yield {
      chain_id: chainId,
      token: byteaText(bucket.token),
      minute: textOf(bucket.time),
      part: onePart ?? bucket.part,
      trades: bucket.trades,
      unpriced: bucket.unpriced,
      volume_usd: usdText(bucket.usdE8),
      buys: bucket.buys,
      buy_volume_usd: usdText(bucket.buyUsdE8),
    }
  }
}

export async function mergeTokenVolumes(tx: Db, chainId: number, buckets: readonly TokenBucket[]): Promise<void> {
  if (buckets.length === 0) return
  const rows = [...rowsOf(chainId, buckets, 0)]
  await tx.$executeRaw`
    INSERT INTO token_volume AS stored (${COLUMNS})
    SELECT ${COLUMNS} FROM json_populate_recordset(NULL::token_volume, ${json(rows)})
    ON CONFLICT (${Prisma.raw(KEY.join())}) DO UPDATE SET ${Prisma.raw(MERGED_SUMS.join())}`
}

const COPY = `COPY token_volume (${COLUMNS.text}) FROM STDIN`

export async function copyTokenVolumes(
  connection: ClientBase,
  chainId: number,
  buckets: readonly TokenBucket[],
): Promise<void> {
  if (buckets.length > 0) await copyRows(connection, COPY, rowsOf(chainId, buckets), line)
}

function line(row: Stored<TokenVolume>): string {
  return `${row.chain_id}\t${copiedBytea(row.token)}\t${row.minute}\t${row.part}\t${sumsText(row)}\n`
}

function countedTokenVolumes(hops: Prisma.Sql, condition = NOT_HELD_BY_TOKEN): Prisma.Sql {
  return Prisma.sql`
    SELECT chain_id, token, minute, min(at) AS part, ${Prisma.raw(asColumns(countedSums('token'), SUMS))}
    FROM (${ruledHops(hops)}) AS hop
    CROSS JOIN LATERAL (VALUES (token0, true), (token1, token1 <> token0)) AS side (token, counts)
    WHERE counts AND ${condition} GROUP BY chain_id, token, minute`
}

function tokenParts(condition: PartCondition): Prisma.Sql {
  const kept = ofKeptDays(condition)
  return Prisma.sql`SELECT ${COLUMNS} FROM token_volume WHERE ${kept(ROWS)} UNION ALL ${heldTokenVolumes(kept)}`
}

/** Like `remakePoolCandles`; `token` is a bytea as text. */
export async function remakeTokenVolumes(
  tx: Db,
  chainId: number,
  gone: readonly { minute: number; token: string }[],
  left: Prisma.Sql,
): Promise<void> {
  if (gone.length === 0) return
  const keys = Prisma.sql`(SELECT to_timestamp(minute) AS minute, token
    FROM json_to_recordset(${json(gone)}) AS one (minute bigint, token bytea)) AS gone`
  await tx.$executeRaw`
    DELETE FROM token_volume AS stored USING ${keys}
    WHERE stored.chain_id = ${chainId} AND stored.token = gone.token AND stored.minute = gone.minute`
  // The other token of a remaining hop may have no volume to recompute.
  await tx.$executeRaw`
    INSERT INTO token_volume (${COLUMNS})
    SELECT made.* FROM (${countedTokenVolumes(left)}) AS made JOIN ${keys} USING (token, minute)`
}

/** Like `readOldPoolCandles`. */
export function readOldTokenVolumes(tx: Db, chainId: number, hops: Prisma.Sql): Promise<GoneHops['tokens']> {
  return readRows(
    tx,
    Prisma.sql`
      SELECT extract(epoch FROM volume.minute)::bigint AS minute, volume.token::text AS token
      FROM (SELECT DISTINCT side.token, date_trunc('minute', block_time) AS minute FROM (${hops}) AS hop
        CROSS JOIN LATERAL (VALUES (token_in), (token_out)) AS side (token)) AS volume
      CROSS JOIN LATERAL (
        SELECT FROM token_volume AS stored WHERE chain_id = ${chainId} AND stored.token = volume.token
          AND stored.minute = volume.minute AND buys IS NULL LIMIT 1) AS old`,
  )
}

export interface TokenMinute {
  token: Address
  minute: number
}

export interface VolumeRow {
  time: number
  trades: number
  unpriced: number
  volume: string
}

const FOLDED = Prisma.raw(asColumns(FOLDED_SUMS, SUMS))
const VOLUME = Prisma.raw('trades::float8 AS trades, unpriced::float8 AS unpriced, volume_usd::text AS volume')
const HAS_VALUE = Prisma.sql`trades > unpriced`

export interface MinuteRow extends VolumeRow, OrderFlow {
  token: Address
}

export function minuteVolumes(chainId: number, minutes: readonly TokenMinute[]): Prisma.Sql {
  const requested = minutes.map(({ token, minute }) => ({ token: byteaText(token), minute }))
  const times = minutes.map(({ minute }) => minute)
  const span = { from: Math.min(...times), to: Math.max(...times) + MINUTE_S }
  const parts = tokenParts(
    ({ token, time }) => Prisma.sql`chain_id = ${chainId} AND ${token} = requested.token AND ${within(span, time)}
      AND ${time} >= requested.minute AND ${time} < requested.minute + interval '1 minute'`,
  )
  const folded = Prisma.sql`
    SELECT '0x' || encode(part.token, 'hex') AS token, extract(epoch FROM part.minute)::float8 AS time,
      ${FOLDED}
    FROM (SELECT token, to_timestamp(minute) AS minute
      FROM json_to_recordset(${json(requested)}) AS one (minute bigint, token bytea)) AS requested
    CROSS JOIN LATERAL (${parts}) AS part GROUP BY part.token, part.minute`
  return Prisma.sql`SELECT token, time, ${VOLUME}, ${ORDER_FLOW} FROM (${folded}) AS folded`
}

function requestedTokens(tokens: readonly Address[]): Prisma.Sql {
  return Prisma.sql`unnest(${tokens.map(byteaText)}::text[]::bytea[]) AS requested (token)`
}

export interface ValuedMinuteRow {
  token: Address
  minute: number | null
}

export function lastValuedMinutes(chainId: number, tokens: readonly Address[], span: Span): Prisma.Sql {
  const isOf = ({ token, time }: PartColumns) =>
    Prisma.sql`chain_id = ${chainId} AND ${token} = requested.token AND ${within(span, time)}`
  const later = heldTokenVolumes(
    (part) => Prisma.sql`${isOf(part)} AND ${part.time} >= coalesce(newest.minute, '-infinity'::timestamptz)`,
  )
  return Prisma.sql`
    SELECT '0x' || encode(requested.token, 'hex') AS token,
      extract(epoch FROM greatest(newest.minute, held.minute))::float8 AS minute
    FROM ${requestedTokens(tokens)}
    LEFT JOIN LATERAL (
      SELECT minute FROM token_volume WHERE ${isOf(ROWS)} AND ${HAS_VALUE} ORDER BY minute DESC LIMIT 1
    ) AS newest ON true
    CROSS JOIN LATERAL (SELECT max(minute) AS minute FROM (${later}) AS part WHERE ${HAS_VALUE}) AS held`
}

export function tokenVolumes(chainId: number, token: Address, span: Span): Prisma.Sql {
  const parts = tokenParts(
    (part) => Prisma.sql`chain_id = ${chainId} AND ${part.token} = ${bytesOf(token)} AND ${within(span, part.time)}`,
  )
  return Prisma.sql`SELECT minute, ${Prisma.raw(SUMS.join())} FROM (${parts}) AS part`
}

export interface TradedRow extends VolumeRow, OrderFlow {
  first: number | null
  last: number | null
}

export function tradedIntervals(chainId: number, token: Address, seconds: number, span: Span): Prisma.Sql {
  return Prisma.sql`
    SELECT ${secondsOfTime('time')} AS time, ${VOLUME}, ${ORDER_FLOW},
      ${secondsOfTime('first')} AS first, ${secondsOfTime('last')} AS last
    FROM (
      SELECT ${intervalOf(seconds)} AS time, ${FOLDED}, min(minute) FILTER (WHERE ${HAS_VALUE}) AS first,
        max(minute) FILTER (WHERE ${HAS_VALUE}) AS last
      FROM (${tokenVolumes(chainId, token, span)}) AS part GROUP BY 1
    ) AS traded ORDER BY time`
}

/**
 * `price` and `before` are the last minutes with a valued hop (seconds since 1970) at the end of the day and at
 * CHANGE_AGES_S before.
 */
export interface TokenDayRow {
  token: string
  ages: AgeSums[] | null
  price: number | null
  before: (number | null)[]
  first: number | null
}

export function tokenDays(chainId: number, tokens: readonly Address[], span: Span): Prisma.Sql {
  return dayFigures(
    {
      requested: requestedTokens(tokens),
      returned: Prisma.sql`requested.token`,
      table: Prisma.sql`token_volume`,
      heldParts: heldTokenVolumes,
      isOf: ({ token }) => Prisma.sql`chain_id = ${chainId} AND ${token} = requested.token`,
      price: Prisma.sql`extract(epoch FROM minute)::float8`,
      isPriced: HAS_VALUE,
      closeAt: Prisma.sql`part`,
      flow: {
        buys: Prisma.sql`buys`,
        sells: Prisma.sql`trades - buys`,
        buyVolume: Prisma.sql`buy_volume_usd`,
        sellVolume: Prisma.sql`volume_usd - buy_volume_usd`,
      },
    },
    span,
  )
}

export function differingTokenVolumes(date: string, limit: number): Prisma.Sql {
  const key = Prisma.sql`chain_id, token, minute`
  const lines = (parts: Prisma.Sql) => Prisma.sql`
    SELECT ${key}, ROW(${Prisma.raw(FOLDED_SUMS.join())})::text AS line
    FROM (${parts}) AS part GROUP BY ${key}`
  const stored = lines(tokenParts(({ time }) => ofDay(date, time)))
  const counted = lines(countedTokenVolumes(hopsOfDay(date), Prisma.sql`true`))
  return differing(key, stored, counted, limit)
}

export async function recountTokenVolumes(tx: Db, date: string): Promise<void> {
  await tx.$executeRaw`DELETE FROM token_volume WHERE ${ofDay(date)}`
  await tx.$executeRaw`INSERT INTO token_volume (${COLUMNS}) ${countedTokenVolumes(hopsOfDay(date))}`
}
