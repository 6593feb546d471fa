import { FIRST_MONDAY, type NetworkName, present, usdE8Of } from '@dexfeed/dex'
import { type LakeKind, type LakeKinds, type LakeRow, poolKey } from '@dexfeed/store'
import { DuckDBBlobValue, type DuckDBValue } from '@duckdb/node-api'
import * as z from 'zod'
import type { TableName } from '../tables.ts'
import { address, bytes, isOfProtocol, pool, protocol, timestamp, within } from './lake-sql.ts'
import { QuoteInterval, type QuotePrices } from './quote-prices.ts'
import { SWAPS } from './search-swaps.ts'

// The statement of each kind of request: it computes from files what the store's statements compute from tables. Of a
// request, it has only checked hex digits, whole numbers and quoted text.

interface LakeSource {
  /** What SELECT reads a table from. */
  from: (table: TableName) => string
  rows: (sql: string) => AsyncIterable<readonly DuckDBValue[]>
  span: { from: number; to: number; network: NetworkName }
}

interface Kind<Of, Row> {
  of: z.ZodType<Of>
  read(source: LakeSource, of: Of): AsyncIterable<Row>
}

const WEEK_S = 604_800

const seconds = z.int().positive().max(WEEK_S)
const time = z.int().nonnegative().max(10_000_000_000)
const sides = z.array(z.strictObject({ pool: z.string().regex(/^-?\d{1,19}$/), from: time, to: time })).min(1)

const tokenOf = z.strictObject({ token: address })
const poolOf = z.strictObject({ pool })
const protocolOf = z.strictObject({ protocol })

export const KINDS: { [Name in LakeKind]: Kind<LakeKinds[Name]['of'], LakeRow<Name>> } = {
  intervals: {
    of: z.strictObject({ token: address, seconds }),
    async *read({ from, rows, span }, of) {
      const valued = 'FILTER (WHERE trades > unpriced)'
      const sql = `SELECT ${intervalOf('minute', of.seconds)} AS time, ${SUMS}, ${secondsOf(`min(minute) ${valued}`)},
          ${secondsOf(`max(minute) ${valued}`)}
        FROM ${from('candles')} WHERE token = ${bytes(of.token)} AND pool_key IS NULL AND ${within(span, 'minute')}
        GROUP BY time ORDER BY time`
      for await (const [time, ...row] of rows(sql)) {
        yield { time: Number(time), ...sumsOf(row), first: numberOrNull(row[7]), last: numberOrNull(row[8]) }
      }
    },
  },
  flows: {
    of: z.strictObject({ token: address }),
    async *read({ from, rows, span }, { token }) {
      const sql = `SELECT pool_key::VARCHAR, ${secondsOf('hour')}, net_usd::VARCHAR FROM ${from('flows')}
        WHERE token = ${bytes(token)} AND ${within(span, 'hour')}`
      for await (const [pool, hour, net] of rows(sql)) {
        yield { pool: String(pool), hour: Number(hour), net: String(usdE8Of(String(net))) }
      }
    },
  },
  sides: {
    of: z.strictObject({ token: address, sides, seconds }),
    async *read(source, of) {
      const sql = `SELECT n, ${intervalOf('minute', of.seconds)} AS time, ${secondsOf('min(minute)')},
          ${secondsOf('max(minute)')}, ${PRICES}
        FROM ${sideMinutes(source, of)} GROUP BY n, time`
      for await (const [n, time, first, last, ...prices] of source.rows(sql)) {
        const [open = '', high = '', low = '', close = ''] = prices.map(amountOf)
        yield { n: Number(n), time: Number(time), first: Number(first), last: Number(last), open, high, low, close }
      }
    },
  },
  swaps: SWAPS,
  lastPrices: {
    of: z.strictObject({ token: address, sides }),
    async *read(source, of) {
      const sql = `SELECT n, arg_max(${CLOSE}, (minute, close_at)), ${secondsOf('max(minute)')}
        FROM ${sideMinutes(source, of)} GROUP BY n`
      for await (const [n, price, minute] of source.rows(sql)) {
        yield { n: Number(n), price: amountOf(price), minute: Number(minute) }
      }
    },
  },
  candles: {
    of: z
      .strictObject({
        token: address,
        pool: pool.nullable(),
        other: address.nullable(),
        inOther: z.boolean(),
        seconds,
      })
      .refine(({ other, inOther }) => other !== null || !inOther),
    async *read(source, of) {
      const inOther = of.inOther ? await quotePrices(source, of) : null
      const sql = `SELECT ${intervalOf('minute', of.seconds)} AS time, ${SUMS}, min(open_at), max(close_at), ${PRICES}
        FROM ${poolMinutes(source, of)} GROUP BY time ORDER BY time`
      for await (const [time, ...row] of source.rows(sql)) {
        const [openAt, closeAt, ...inUsd] = row.slice(7)
        const places = { open_at: numberOrNull(openAt), close_at: numberOrNull(closeAt) }
        const [open, high, low, close] = inUsd.map(amountOrNull)
        const prices = inOther === null ? { open, high, low, close } : (inOther.get(Number(time))?.prices ?? NO_PRICES)
        yield { time: Number(time), ...sumsOf(row), ...places, ...textsOf(prices) }
      }
    },
  },
  volumes: {
    of: z.strictObject({ of: z.union([tokenOf, poolOf]), seconds }),
    async *read({ from, rows, span }, { of, seconds }) {
      const [time, sums, where] =
        'pool' in of
          ? [
              'block_time',
              'count(*), count(*) - count(volume_usd), coalesce(sum(volume_usd), 0)::VARCHAR',
              isOfPool(of.pool),
            ]
          : [
              'minute',
              'sum(trades), sum(unpriced), sum(volume_usd)::VARCHAR',
              `token = ${bytes(of.token)} AND pool_key IS NULL`,
            ]
      const sql = `SELECT ${intervalOf(time, seconds)} AS time, ${sums}
        FROM ${from('pool' in of ? 'hops' : 'candles')} WHERE ${where} AND ${within(span, time)} GROUP BY ALL ORDER BY time`
      for await (const [time, trades, unpriced, volume] of rows(sql)) {
        yield { time: Number(time), trades: Number(trades), unpriced: Number(unpriced), volume: String(volume) }
      }
    },
  },
  traders: {
    of: z.strictObject({ of: z.union([tokenOf, poolOf, protocolOf]).nullable(), seconds }),
    async *read({ from, rows, span }, { of, seconds }) {
      const place = 'block_number, transaction_index, position'
      const hops = of === null ? '' : `WHERE ${isOf(from, of)} AND ${within(span, 'block_time')}`
      const among = of === null ? '' : `AND (${place}) IN (SELECT (${place}) FROM ${from('hops')} ${hops})`
      const sql = `SELECT ${intervalOf('block_time', seconds)} AS time, count(DISTINCT trader)
        FROM ${from('swaps')} WHERE ${within(span, 'block_time')} ${among} GROUP BY time`
      for await (const [time, traders] of rows(sql)) yield { time: Number(time), traders: Number(traders) }
    },
  },
}

type CandlesOf = LakeKinds['candles']['of']

function poolMinutes({ from, span }: LakeSource, { token, pool, other }: CandlesOf): string {
  const ofPool = pool === null ? 'pool_key IS NOT NULL' : isOfPool(pool)
  const ofPair = other === null ? '' : `AND other = ${bytes(other)}`
  return `(SELECT * FROM ${from('candles')} WHERE token = ${bytes(token)} AND ${ofPool} ${ofPair}
    AND ${within(span, 'minute')})`
}

/** Ratios have more digits than numbers of DuckDB, so they are computed here, of one minute after another. */
async function quotePrices(source: LakeSource, of: CandlesOf): Promise<Map<number, QuoteInterval>> {
  const intervals = new Map<number, QuoteInterval>()
  const both = (price: (row: string) => string) => ['own.', 'quote.'].map(price).join()
  const sql = `SELECT ${intervalOf('own.minute', of.seconds)}, min(own.open_at), max(own.close_at),
      ${both((row) => `arg_min(${row}open, own.open_at)`)},
      ${both((row) => `max(coalesce(${row}high, ${row}open))`)},
      ${both((row) => `min(coalesce(${row}low, ${row}open))`)},
      ${both((row) => `arg_max(coalesce(${row}close, ${row}open), own.close_at)`)}
    FROM ${poolMinutes(source, of)} AS own
    JOIN ${poolMinutes(source, { ...of, token: present(of.other), other: of.token })} AS quote USING (pool_key, minute)
    WHERE own.open_at IS NOT NULL GROUP BY own.minute`
  for await (const [time, openAt, closeAt, ...prices] of source.rows(sql)) {
    const interval = intervals.get(Number(time)) ?? new QuoteInterval()
    const pair = (n: number) => [BigInt(amountOf(prices[n])), BigInt(amountOf(prices[n + 1]))] as const
    interval.add({
      ...{ openAt: Number(openAt), closeAt: Number(closeAt) },
      ...{ open: pair(0), high: pair(2), low: pair(4), close: pair(6) },
    })
    intervals.set(Number(time), interval)
  }
  return intervals
}

const NO_PRICES: QuotePrices = { open: null, high: null, low: null, close: null }

function textsOf({ open, high, low, close }: { [Price in keyof QuotePrices]?: bigint | string | null | undefined }) {
  const text = (price: bigint | string | null | undefined) => (price == null ? null : String(price))
  return { open: text(open), high: text(high), low: text(low), close: text(close) }
}

type TradesOf = NonNullable<LakeKinds['traders']['of']['of']>

/** Hops of these trades. */
function isOf(from: LakeSource['from'], of: TradesOf): string {
  if ('pool' in of) return isOfPool(of.pool)
  if ('token' in of) return `${bytes(of.token)} IN (token_in, token_out)`
  return isOfProtocol(from, of.protocol)
}

function isOfPool(pool: `0x${string}`): string {
  return `pool_key = ${poolKey(pool)}`
}

/** As in `CandleRow` and `TradedRow`. */
const SUMS = `sum(trades)::BIGINT, sum(unpriced)::BIGINT, sum(volume_usd)::VARCHAR, sum(buys)::BIGINT,
  sum(trades - buys)::BIGINT, sum(buy_volume_usd)::VARCHAR, sum(volume_usd - buy_volume_usd)::VARCHAR`

function sumsOf([trades, unpriced, volume, buys, sells, buyVolume, sellVolume]: readonly (DuckDBValue | undefined)[]) {
  return {
    ...{ trades: Number(trades), unpriced: Number(unpriced), volume: String(volume) },
    ...{ buys: Number(buys), sells: Number(sells), buy_volume: String(buyVolume), sell_volume: String(sellVolume) },
  }
}

const CLOSE = 'coalesce(close, open)'
const PRICES = `arg_min(open, open_at), max(coalesce(high, open)), min(coalesce(low, open)), arg_max(${CLOSE}, close_at)`

/** The minutes of the sides in which a hop sets a price. */
function sideMinutes({ from, span }: LakeSource, { token, sides }: LakeKinds['lastPrices']['of']): string {
  const list = sides.map((side, n) => `(${n}, ${side.pool}, ${timestamp(side.from)}, ${timestamp(side.to)})`)
  // The condition on all pools and the span lets DuckDB skip groups of rows.
  const pools = [...new Set(sides.map(({ pool }) => pool))]
  return `${from('candles')} JOIN (VALUES ${list.join()}) AS side (n, pool_of_side, since, until)
      ON pool_key = pool_of_side AND minute >= since AND minute < until
    WHERE token = ${bytes(token)} AND pool_key IN (${pools.join()}) AND ${within(span, 'minute')} AND open_at IS NOT NULL`
}

function secondsOf(time: string): string {
  return `epoch_us(${time}) // 1000000`
}

function intervalOf(time: string, seconds: number): string {
  const second = secondsOf(time)
  return `(${second}) - ((${second}) - ${FIRST_MONDAY}) % ${seconds}`
}

function numberOrNull(value: DuckDBValue | undefined): number | null {
  return value == null ? null : Number(value)
}

function amountOf(value: DuckDBValue | undefined): string {
  if (!(value instanceof DuckDBBlobValue)) throw new Error('an amount is not bytes')
  return String(BigInt(`0x${Buffer.from(value.bytes).toString('hex')}`))
}

function amountOrNull(value: DuckDBValue | undefined): string | null {
  return value == null ? null : amountOf(value)
}
