import { type Address, DAY_S, intervalStart, type PoolAddress, usdText, ZERO_ADDRESS } from '@dexfeed/dex'
import type { ClientBase } from 'pg'
import type { Db } from '../../database/transaction.ts'
import { type PoolCandle, Prisma } from '../../generated/client.ts'
import { bytesOf, json, readRows, type Stored, timeTexts } from '../../stored.ts'
import type { CopiedRows } from '../copied-rows.ts'
import { copyRows, NULL } from '../swap/copy-rows.ts'
import { keyOf, poolKey } from '../swap/pool-key.ts'
import { type GoneHops, hopsOfDay } from '../swap/swap-hop.ts'
import { type AgeSums, dayFigures, dayPrices } from './day-figures.ts'
import { heldPoolCandles, NOT_HELD_BY_POOL, ofKeptDays, type PartCondition } from './held-candles.ts'
import type { PoolPrices } from './median-price.ts'
import {
  candleColumns,
  closeAtIn,
  countedCandle,
  differingCandles,
  foldedCandle,
  intervalOf,
  mergedCandle,
  ofDay,
  PLACES,
  priceIn,
  SIDES,
  type Span,
  SUMS,
  secondsOfTime,
  storedCloseAt,
  storedOpenAt,
  storedPrice,
  sumsText,
  within,
  withoutRepeats,
  withPlaces,
} from './merge-candles.ts'
import { COPIED_HOPS_OF_DAY, ruledHops } from './price-rule.ts'
import type { PoolBucket } from './roll-up.ts'

const KEY = ['chain_id', 'pool_key', 'minute', 'token0_key', 'token1_key', 'part']
const COLUMNS = Prisma.raw([...KEY, ...candleColumns(SIDES)].join())

/** Written out, because spreading one object into another takes twenty times as long. */
function* rowsOf(
  chainId: number,
  buckets: readonly PoolBucket[],
  onePart?: number,
): Generator<Stored<PoolCandle>, undefined> {
  const textOf = timeTexts()
  for (const bucket of buckets) {
    const { prices0, prices1 } = bucket
    const part = onePart ?? bucket.part
    yield {
      chain_id: chainId,
      pool_key: poolKey(bucket.pool),
      minute: textOf(bucket.time),
      token0_key: poolKey(bucket.token0),
      token1_key: poolKey(bucket.token1),
      part,
      trades: bucket.trades,
      unpriced: bucket.unpriced,
      volume_usd: usdText(bucket.usdE8),
      buys: bucket.buys,
      buy_volume_usd: usdText(bucket.buyUsdE8),
      open_at: storedOpenAt(bucket, part),
      close_at: storedCloseAt(bucket),
      open0: storedPrice(prices0?.open),
      high0: storedPrice(prices0?.high, prices0?.open),
      low0: storedPrice(prices0?.low, prices0?.open),
      close0: storedPrice(prices0?.close, prices0?.open),
      open1: storedPrice(prices1?.open),
      high1: storedPrice(prices1?.high, prices1?.open),
      low1: storedPrice(prices1?.low, prices1?.open),
      close1: storedPrice(prices1?.close, prices1?.open),
    }
  }
}

export async function mergePoolCandles(tx: Db, chainId: number, buckets: readonly PoolBucket[]): Promise<void> {
  const rows = [...rowsOf(chainId, buckets, 0)]
  const keyOfRow = (row: Stored<PoolCandle>) => `${row.pool_key} ${row.minute} ${row.token0_key} ${row.token1_key}`
  for (const apart of withoutRepeats(rows, keyOfRow)) {
    await tx.$executeRaw`
      INSERT INTO pool_candle AS stored (${COLUMNS})
      SELECT ${COLUMNS} FROM json_populate_recordset(NULL::pool_candle, ${json(apart)})
      ON CONFLICT (${Prisma.raw(KEY.join())}) DO UPDATE SET ${mergedCandle()}`
  }
}

const COPY = `COPY pool_candle (${[...KEY, ...candleColumns(SIDES)].join()}) FROM STDIN`

export async function copyPoolCandles(
  connection: ClientBase,
  chainId: number,
  buckets: readonly PoolBucket[],
): Promise<void> {
  if (buckets.length > 0) await copyRows(connection, COPY, rowsOf(chainId, buckets), line)
}

function line(row: Stored<PoolCandle>): string {
  return (
    `${row.chain_id}\t${row.pool_key}\t${row.minute}\t${row.token0_key}\t${row.token1_key}\t${row.part}\t` +
    `${sumsText(row)}\t${row.open_at ?? NULL}\t${row.close_at ?? NULL}\t` +
    `${row.open0 ?? NULL}\t${row.high0 ?? NULL}\t${row.low0 ?? NULL}\t${row.close0 ?? NULL}\t` +
    `${row.open1 ?? NULL}\t${row.high1 ?? NULL}\t${row.low1 ?? NULL}\t${row.close1 ?? NULL}\n`
  )
}

function countedPoolCandles(hops: Prisma.Sql, condition = NOT_HELD_BY_POOL): Prisma.Sql {
  return Prisma.sql`
    SELECT chain_id, pool_key, minute, ${keyOf('token0')} AS token0_key, ${keyOf('token1')} AS token1_key, min(at) AS part,
      ${countedCandle()}
    FROM (${ruledHops(hops)}) AS hop WHERE ${condition} GROUP BY chain_id, pool_key, minute, token0, token1`
}

function poolParts(condition: PartCondition): Prisma.Sql {
  const kept = ofKeptDays(condition)
  const ofRows = kept({ token: Prisma.empty, time: Prisma.sql`minute` })
  return Prisma.sql`SELECT ${COLUMNS} FROM pool_candle WHERE ${ofRows} UNION ALL ${heldPoolCandles(kept)}`
}

export async function remakePoolCandles(
  tx: Db,
  chainId: number,
  gone: readonly { minute: number; key: string }[],
  left: Prisma.Sql,
): Promise<void> {
  if (gone.length === 0) return
  const keys = Prisma.sql`(SELECT to_timestamp(minute) AS minute, key
    FROM json_to_recordset(${json(gone)}) AS one (minute bigint, key bigint)) AS gone`
  await tx.$executeRaw`
    DELETE FROM pool_candle AS stored USING ${keys}
    WHERE stored.chain_id = ${chainId} AND stored.pool_key = gone.key AND stored.minute = gone.minute`
  const touched = Prisma.sql`
    SELECT hop.* FROM (${left}) AS hop
    JOIN ${keys} ON hop.pool_key = gone.key AND date_trunc('minute', hop.block_time) = gone.minute`
  await tx.$executeRaw`INSERT INTO pool_candle (${COLUMNS}) ${countedPoolCandles(touched)}`
}

/** Returns the candles of these hops that have a part without `buys`, along the primary key. */
export function readOldPoolCandles(tx: Db, chainId: number, hops: Prisma.Sql): Promise<GoneHops['pools']> {
  return readRows(
    tx,
    Prisma.sql`
      SELECT extract(epoch FROM minute)::bigint AS minute, pool_key::text AS key
      FROM (SELECT DISTINCT pool_key, date_trunc('minute', block_time) AS minute FROM (${hops}) AS hop) AS candle
      CROSS JOIN LATERAL (
        SELECT FROM pool_candle AS stored WHERE chain_id = ${chainId} AND stored.pool_key = candle.pool_key
          AND stored.minute = candle.minute AND buys IS NULL LIMIT 1) AS old`,
  )
}

/** Selects `of0` where the token of `key` is token0, else `of1`. */
function ofToken(key: Prisma.Sql, name: string, of0: string, of1: string): Prisma.Sql {
  return Prisma.sql`CASE WHEN token0_key = ${key} THEN ${Prisma.raw(of0)} ELSE ${Prisma.raw(of1)} END AS ${Prisma.raw(name)}`
}

/** The sums of token1 that differ from those of token0. */
const SUMS_OF_TOKEN1: Readonly<Record<string, string>> = {
  buys: 'trades - buys',
  buy_volume_usd: 'volume_usd - buy_volume_usd',
}

function sumsOf(key: Prisma.Sql): Prisma.Sql {
  const sums = SUMS.map((column) => {
    const of1 = SUMS_OF_TOKEN1[column]
    return of1 === undefined ? Prisma.raw(column) : ofToken(key, column, column, of1)
  })
  return Prisma.join(sums)
}

const PRICES = ['open', 'high', 'low', 'close'] as const

function pricesOf(key: Prisma.Sql): Prisma.Sql {
  const prices = PRICES.map((price) => ofToken(key, price, `${price}0`, `${price}1`))
  return Prisma.sql`minute, ${sumsOf(key)}, ${PLACES}, ${Prisma.join(prices)}`
}

function inPool(chainId: number, pool: PoolAddress, span: Span): PartCondition {
  return ({ time }) =>
    Prisma.sql`chain_id = ${chainId} AND pool_key = ${poolKey(pool)}::bigint AND ${within(span, time)}`
}

/**
 * Selects minutes with the prices of a token in the other token of its hops, in base units times 10^42. `parts` begins
 * with FROM, and its hops have the same two tokens.
 *
 * Open and close are ratios of the prices of one hop. When the price in USD is highest, the ratio is at least that price
 * divided by the highest price of the other token; so high may be too low, and likewise low too high.
 */
function quoteMinutes(key: Prisma.Sql, parts: Prisma.Sql): Prisma.Sql {
  const prices = PRICES.flatMap((price) => [
    ofToken(key, `${price}0`, `${price}0`, `${price}1`),
    ofToken(key, `${price}1`, `${price}1`, `${price}0`),
  ])
  const [open, high, low, close] = PRICES.map(ratioOf)
  return Prisma.sql`
    SELECT minute, ${Prisma.raw(SUMS.join())}, open_at, close_at, ${Prisma.raw(`${open} AS open,
      greatest(${open}, ${high}, ${close}) AS high, least(${open}, ${low}, ${close}) AS low, ${close} AS close`)}
    FROM (
      SELECT minute, ${foldedCandle(SIDES)}
      FROM (SELECT minute, ${sumsOf(key)}, ${PLACES}, ${Prisma.join(prices)} ${parts}) AS part GROUP BY minute
    ) AS of_minute`
}

/** As in `priceInOther`, the last two digits of the stored prices do not count. */
function ratioOf(price: string): string {
  const ratio = `div(${price}0 * 1e42, ${price}1)`
  const digits = `least(length(${price}0::text), length(${price}1::text)) - 2`
  return `nullif(trunc(${ratio}, least(0, ${digits} - length(${ratio}::text))), 0)`
}

export function poolCandles(
  chainId: number,
  pool: PoolAddress,
  { token, quote }: { token: Address; quote: Address | undefined },
  span: Span,
): Prisma.Sql {
  const key = Prisma.sql`${poolKey(token)}::bigint`
  const parts = Prisma.sql`FROM (${poolParts(inPool(chainId, pool, span))}) AS part WHERE ${key} IN (token0_key, token1_key)`
  if (quote === undefined) return Prisma.sql`SELECT ${pricesOf(key)} ${parts}`
  return quoteMinutes(key, Prisma.sql`${parts} AND ${poolKey(quote)}::bigint IN (token0_key, token1_key)`)
}

export function poolVolumes(chainId: number, pool: PoolAddress, span: Span): Prisma.Sql {
  const parts = poolParts(inPool(chainId, pool, span))
  return Prisma.sql`SELECT minute, trades, unpriced, volume_usd FROM (${parts}) AS part`
}

export interface PoolSide {
  pool: string
  token: string
}

export interface SideSpan extends PoolSide, Span {}

const IS_SIDE = Prisma.sql`requested.token IN (token0_key, token1_key)`

function requestedSides(sides: readonly PoolSide[]): Prisma.Sql {
  const rows = sides.map(({ pool, token }, n) => ({ n, pool, token }))
  return Prisma.sql`json_to_recordset(${json(rows)}) AS requested (n int, pool bigint, token bigint)`
}

function requestedSpans(sides: readonly SideSpan[], spansOf = (side: SideSpan): Span[] => [side]): Prisma.Sql {
  const rows = sides.flatMap((side, n) =>
    spansOf(side).map(({ from, to }) => ({ n, pool: side.pool, token: side.token, since: from, until: to })),
  )
  return Prisma.sql`json_to_recordset(${json(rows)})
    AS requested (n int, pool bigint, token bigint, since bigint, until bigint)`
}

function ofSide(chainId: number, sides: readonly SideSpan[]): PartCondition {
  let from = Number.POSITIVE_INFINITY
  let to = 0
  for (const side of sides) {
    from = Math.min(from, side.from)
    to = Math.max(to, side.to)
  }
  // The span of all sides limits the search to the partitions of its days.
  return ({ time }) => Prisma.sql`chain_id = ${chainId} AND pool_key = requested.pool AND ${within({ from, to }, time)}
    AND ${time} >= to_timestamp(requested.since) AND ${time} < to_timestamp(requested.until)`
}

/** Lists with one item per interval or part. Prices are in USD per base unit times 10^42, times in seconds. */
interface SidePrices {
  n: number
  open: string[]
  /** Null where the price equals `open`. */
  high: (string | null)[]
  low: (string | null)[]
  close: (string | null)[]
}

export interface SideCandlesRow extends SidePrices {
  time: number[]
  first: number[]
  last: number[]
}

export interface SideMinutesRow extends SidePrices {
  time: number[]
  /** Places of the first and last hop that set a price; `close_at` is null if it equals `open_at`. */
  open_at: number[]
  close_at: (number | null)[]
}

/** Lists take a fifth less of Postgres' CPU time than a JSON object per row. */
const SIDE_PRICES = Prisma.raw(
  ['array_agg(open)', ...['high', 'low', 'close'].map((price) => `array_agg(nullif(${price}, open))`)]
    .map((list, n) => `${list}::text[] AS ${['open', 'high', 'low', 'close'][n]}`)
    .join(),
)

export function sideMinutes(chainId: number, sides: readonly SideSpan[]): Prisma.Sql {
  const parts = poolParts(ofSide(chainId, sides))
  return Prisma.sql`
    SELECT n, array_agg(${secondsOfTime('minute')}) AS time, array_agg(open_at) AS open_at,
      array_agg(nullif(close_at, open_at)) AS close_at, ${SIDE_PRICES}
    FROM ${requestedSpans(sides)} CROSS JOIN LATERAL (
      SELECT ${pricesOf(Prisma.sql`requested.token`)} FROM (${parts}) AS part WHERE ${IS_SIDE}
    ) AS part WHERE open_at IS NOT NULL GROUP BY n`
}

/**
 * Selects in any order; `seconds` must divide a day, or be a week. Reads each day, or week, separately: sorting all minutes
 * at once takes half as long again.
 */
export function sideCandles(chainId: number, sides: readonly SideSpan[], seconds: number): Prisma.Sql {
  const parts = Prisma.sql`
    SELECT ${pricesOf(Prisma.sql`requested.token`)} FROM (${poolParts(ofSide(chainId, sides))}) AS part WHERE ${IS_SIDE}`
  const first = (place: string, price: string) => Prisma.raw(`(array_agg(${price} ORDER BY ${place}))[1]`)
  const lists = ['time', 'first', 'last'].map(
    (time) => Prisma.sql`array_agg(${secondsOfTime(time)}) AS ${Prisma.raw(time)}`,
  )
  return Prisma.sql`
    SELECT n, ${Prisma.join(lists)}, ${SIDE_PRICES}
    FROM ${requestedSpans(sides, (side) => partsOf(side, Math.max(DAY_S, seconds)))} CROSS JOIN LATERAL (
      SELECT ${intervalOf(seconds)} AS time, min(minute) AS first, max(minute) AS last, ${first('open_at', 'open')} AS open,
        ${Prisma.raw(`max(${priceIn('high', '')}) AS high, min(${priceIn('low', '')}) AS low`)},
        ${first('close_at DESC', priceIn('close', ''))} AS close
      FROM (${parts}) AS part WHERE open_at IS NOT NULL GROUP BY 1
    ) AS candle GROUP BY n`
}

function partsOf({ from, to }: Span, seconds: number): Span[] {
  const spans: Span[] = []
  for (let begin = from; begin < to; ) {
    const end = Math.min(to, intervalStart(begin, seconds) + seconds)
    spans.push({ from: begin, to: end })
    begin = end
  }
  return spans
}

interface PlacedPrices extends PoolPrices {
  openAt: number
  closeAt: number
}

/** A candle of one of the requested sides. */
export interface SideCandle {
  n: number
  time: number
  first: number
  last: number
  open: string
  high: string
  low: string
  close: string
}

export function candlesOf(pool: string, row: SideCandlesRow): Map<number, PoolPrices> {
  const candles = new Map<number, PoolPrices>()
  for (let index = 0; index < row.time.length; index++) {
    const time = itemOf(row.time, index)
    const open = BigInt(itemOf(row.open, index))
    const first = itemOf(row.first, index)
    const last = itemOf(row.last, index)
    candles.set(time, {
      pool,
      open,
      high: priceOr(open, itemOf(row.high, index)),
      low: priceOr(open, itemOf(row.low, index)),
      close: priceOr(open, itemOf(row.close, index)),
      first,
      last,
    })
  }
  return candles
}

export function minutesOf(pool: string, row: SideMinutesRow): Map<number, PoolPrices> {
  const minutes = new Map<number, PlacedPrices>()
  for (let index = 0; index < row.time.length; index++) {
    const minute = itemOf(row.time, index)
    const openAt = itemOf(row.open_at, index)
    const closeAt = itemOf(row.close_at, index) ?? openAt
    const open = BigInt(itemOf(row.open, index))
    const high = priceOr(open, itemOf(row.high, index))
    const low = priceOr(open, itemOf(row.low, index))
    const close = priceOr(open, itemOf(row.close, index))
    const merged = minutes.get(minute)
    if (merged === undefined) {
      minutes.set(minute, { pool, open, high, low, close, first: minute, last: minute, openAt, closeAt })
      continue
    }
    if (high > merged.high) merged.high = high
    if (low < merged.low) merged.low = low
    if (openAt < merged.openAt) {
      merged.open = open
      merged.openAt = openAt
    }
    if (closeAt > merged.closeAt) {
      merged.close = close
      merged.closeAt = closeAt
    }
  }
  return minutes
}

function itemOf<Item>(list: readonly Item[], index: number): Item {
  const item = list[index]
  if (item === undefined) throw new Error('the lists of a pool differ in length')
  return item
}

function priceOr(open: bigint, price: string | null): bigint {
  return price === null ? open : BigInt(price)
}

export interface SidePriceRow {
  n: number
  price: string | null
  minute: number | null
}

export function lastSidePrices(chainId: number, sides: readonly SideSpan[]): Prisma.Sql {
  const isOf = ofSide(chainId, sides)
  const held = heldPoolCandles(
    (part) => Prisma.sql`${isOf(part)} AND ${part.time} >= coalesce(newest.minute, '-infinity'::timestamptz)`,
  )
  const last = (column: string) =>
    Prisma.raw(`CASE WHEN newest.minute IS NULL OR (held.minute, held.at) > (newest.minute, newest.at)
      THEN held.${column} ELSE newest.${column} END`)
  const ofRows = isOf({ token: Prisma.empty, time: Prisma.sql`minute` })
  return Prisma.sql`
    SELECT n, (${last('price')})::text AS price, extract(epoch FROM ${last('minute')})::float8 AS minute
    FROM ${requestedSpans(sides)}
    LEFT JOIN LATERAL (
      SELECT ${CLOSE_OF_SIDE} AS price, minute, ${CLOSE_AT} AS at FROM pool_candle
      WHERE ${ofRows} AND ${IS_SIDE} AND open0 IS NOT NULL ORDER BY minute DESC, ${CLOSE_AT} DESC LIMIT 1
    ) AS newest ON true
    LEFT JOIN LATERAL (
      SELECT ${CLOSE_OF_SIDE} AS price, minute, part AS at FROM (${held}) AS part
      WHERE ${IS_SIDE} AND open0 IS NOT NULL ORDER BY minute DESC, part DESC LIMIT 1
    ) AS held ON true`
}

/**
 * Of the base: its flows, and its prices at the end of the day and at CHANGE_AGES_S before, each with that of the other
 * token.
 */
export interface PoolDayRow {
  pool: string
  ages: AgeSums[] | null
  price: [base: string, other: string] | null
  before: ([base: string, other: string] | null)[]
  first: number | null
}

const CLOSE_AT = Prisma.raw(closeAtIn())
const CLOSE_0 = priceIn('close', '0')
const CLOSE_1 = priceIn('close', '1')
const CLOSE_OF_SIDE = Prisma.raw(`CASE WHEN token0_key = requested.token THEN ${CLOSE_0} ELSE ${CLOSE_1} END`)

/** Last prices at the end of a day and at CHANGE_AGES_S before, each with its minute (seconds since 1970). */
export interface SideDayRow {
  n: number
  price: [price: string, minute: number] | null
  before: ([price: string, minute: number] | null)[]
}

/** Selects prices that are at most two days older than the start of the day. */
export function sideDays(chainId: number, sides: readonly PoolSide[], { from, to }: Span): Prisma.Sql {
  return dayPrices(
    {
      requested: requestedSides(sides),
      returned: Prisma.sql`n`,
      table: Prisma.sql`pool_candle`,
      heldParts: heldPoolCandles,
      isOf: () => Prisma.sql`chain_id = ${chainId} AND pool_key = requested.pool`,
      price: Prisma.sql`json_build_array(${CLOSE_OF_SIDE}::text, extract(epoch FROM minute)::float8)`,
      isPriced: Prisma.sql`open0 IS NOT NULL AND ${IS_SIDE}`,
      closeAt: CLOSE_AT,
    },
    { from: from - DAY_S, to },
  )
}

export function poolDays(
  chainId: number,
  pools: readonly { address: PoolAddress; token0: Address; token1: Address; base: Address }[],
  span: Span,
): Prisma.Sql {
  const requested = pools.map(({ address, token0, token1, base }) => ({
    pool: address,
    key: poolKey(address),
    key0: poolKey(token0),
    key1: poolKey(token1),
    counted: poolKey(base),
  }))
  const ofBase = (of0: string, of1: string) =>
    Prisma.raw(`CASE counted WHEN token0_key THEN ${of0} WHEN token1_key THEN ${of1} ELSE 0 END`)
  return dayFigures(
    {
      requested: Prisma.sql`json_to_recordset(${json(requested)})
        AS requested (pool text, key bigint, key0 bigint, key1 bigint, counted bigint)`,
      returned: Prisma.sql`pool`,
      table: Prisma.sql`pool_candle`,
      heldParts: heldPoolCandles,
      isOf: () => Prisma.sql`chain_id = ${chainId} AND pool_key = requested.key`,
      price: Prisma.raw(`CASE counted WHEN token0_key THEN json_build_array(${CLOSE_0}::text, ${CLOSE_1}::text)
        ELSE json_build_array(${CLOSE_1}::text, ${CLOSE_0}::text) END`),
      isPriced: Prisma.sql`open0 IS NOT NULL AND token0_key IN (key0, key1) AND token1_key IN (key0, key1)`,
      closeAt: CLOSE_AT,
      flow: {
        buys: ofBase('buys', 'trades - buys'),
        sells: ofBase('trades - buys', 'buys'),
        buyVolume: ofBase('buy_volume_usd', 'volume_usd - buy_volume_usd'),
        sellVolume: ofBase('volume_usd - buy_volume_usd', 'buy_volume_usd'),
      },
    },
    span,
  )
}

/**
 * Selects the candles of a token in its trades against another token, with pool_tokens_idx and pool_coins_idx. The zero
 * address in pools is the native coin, whose hops name its wrapper.
 */
export function pairCandles(
  chainId: number,
  { token, other, inOther }: { token: Address; other: Address; inOther: boolean },
  span: Span,
): Prisma.Sql {
  const [token0, token1] = token < other ? [token, other] : [other, token]
  const either = [token, other, ZERO_ADDRESS].map(bytesOf)
  const pools = Prisma.sql`
    SELECT ${keyOf('address')} FROM pool
    WHERE chain_id = ${chainId} AND token0 = ANY (${either}) AND token1 = ANY (${either})
    UNION ALL SELECT ${keyOf('address')} FROM pool
    WHERE chain_id = ${chainId} AND cardinality(coins) + cardinality(underlying) > 0`
  const parts = poolParts(
    ({ time }) => Prisma.sql`chain_id = ${chainId} AND ${within(span, time)} AND pool_key = ANY (ARRAY(${pools}))`,
  )
  const key = Prisma.sql`${poolKey(token)}::bigint`
  const ofPair = Prisma.sql`FROM (${parts}) AS part
    WHERE token0_key = ${poolKey(token0)}::bigint AND token1_key = ${poolKey(token1)}::bigint`
  return inOther ? quoteMinutes(key, ofPair) : Prisma.sql`SELECT ${pricesOf(key)} ${ofPair}`
}

const SPARED = SIDES.flatMap((side) =>
  ['high', 'low', 'close'].map((price) => `nullif(${price}${side}, open${side}) AS ${price}${side}`),
)

/** Counted from the hops, whose tokens the stored candles do not name in full. A price that equals `open` is null. */
export const COPIED_CANDLES: CopiedRows = {
  columns: {
    pool_key: 'bigint',
    token0: 'hex',
    token1: 'hex',
    minute: 'time',
    trades: 'integer',
    unpriced: 'integer',
    volume_usd: 'usd',
    buys: 'integer',
    buy_volume_usd: 'usd',
    open_at: 'bigint',
    close_at: 'bigint',
    open0: 'amount',
    high0: 'amount',
    low0: 'amount',
    close0: 'amount',
    open1: 'amount',
    high1: 'amount',
    low1: 'amount',
    close1: 'amount',
  },
  rows: Prisma.sql`
    SELECT pool_key, token0, token1, minute, ${Prisma.raw([...SUMS, 'open_at', 'close_at', 'open0', 'open1', ...SPARED].join())}
    FROM (
      SELECT pool_key, minute, token0, token1, ${countedCandle(true)}
      FROM (
        SELECT pool_key, minute, token0, token1, at, token_out, volume_usd, price0, price1
        FROM (${ruledHops(COPIED_HOPS_OF_DAY)}) AS ruled ORDER BY pool_key, minute, token0, token1, at
      ) AS hop GROUP BY pool_key, minute, token0, token1
    ) AS counted`,
}

export function differingPoolCandles(date: string, limit: number): Prisma.Sql {
  const stored = withPlaces(
    poolParts(({ time }) => ofDay(date, time)),
    KEY,
  )
  const counted = countedPoolCandles(hopsOfDay(date), Prisma.sql`true`)
  return differingCandles({ stored, counted }, 'chain_id, pool_key, minute, token0_key, token1_key', limit)
}

/** The caller holds the rows of all networks exclusively. */
export async function recountPoolCandles(tx: Db, date: string): Promise<void> {
  await tx.$executeRaw`DELETE FROM pool_candle WHERE ${ofDay(date)}`
  await tx.$executeRaw`INSERT INTO pool_candle (${COLUMNS}) ${countedPoolCandles(hopsOfDay(date))}`
}
