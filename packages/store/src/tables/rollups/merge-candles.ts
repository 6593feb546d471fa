import { DAY_S, FIRST_MONDAY } from '@dexfeed/dex'
import { Prisma } from '../../generated/client.ts'
import { NULL } from '../swap/copy-rows.ts'

// Candles of two sets of hops can be merged in any order, because the places of hops decide `open` and `close`. Most
// minutes of a pool have one hop, so a row leaves out prices equal to `open`, an `open_at` equal to `part`, and a
// `close_at` equal to `open_at`.

export const SIDES = ['0', '1'] as const
const [ANY] = SIDES

export function priceIn(column: 'high' | 'low' | 'close', side: string, row = ''): string {
  return `coalesce(${row}${column}${side}, ${row}open${side})`
}

function openAtIn(row = ''): string {
  return `CASE WHEN ${row}open${ANY} IS NOT NULL THEN coalesce(${row}open_at, ${row}part) END`
}

export function closeAtIn(row = ''): string {
  return `CASE WHEN ${row}open${ANY} IS NOT NULL THEN coalesce(${row}close_at, ${row}open_at, ${row}part) END`
}

export const PLACES = Prisma.raw(`${openAtIn()} AS open_at, ${closeAtIn()} AS close_at`)

const VALUE = 'coalesce(volume_usd, 0.00000000)'

interface Sum {
  /** Over hops. */
  counted: (isBuy: string) => string
  /** Of a trade that is a part, which has one hop. */
  held: (isBuy: string) => string
  /** Over parts. */
  folded: string
}

/**
 * The sums of a candle. A hop buys the token that it pays out. `buys` and `buy_volume_usd` are of the token, in a
 * pool's candle of its first one; null in rows of an older version.
 */
const SUM_OF: Readonly<Record<string, Sum>> = {
  trades: { counted: () => 'count(*)', held: () => '1', folded: 'sum(trades)' },
  unpriced: {
    counted: () => 'count(*) - count(volume_usd)',
    held: () => '(volume_usd IS NULL)::int',
    folded: 'sum(unpriced)',
  },
  volume_usd: {
    counted: () => 'coalesce(sum(volume_usd), 0.00000000)',
    held: () => VALUE,
    folded: 'round(sum(volume_usd), 8)',
  },
  buys: {
    counted: (isBuy) => `count(*) FILTER (WHERE ${isBuy})`,
    held: (isBuy) => `(${isBuy})::int`,
    folded: knownSum('buys'),
  },
  buy_volume_usd: {
    counted: (isBuy) => `coalesce(sum(volume_usd) FILTER (WHERE ${isBuy}), 0.00000000)`,
    held: (isBuy) => `CASE WHEN ${isBuy} THEN ${VALUE} ELSE 0.00000000 END`,
    folded: `round(${knownSum('buy_volume_usd')}, 8)`,
  },
}

/** The columns of the sums. The lists below have their order. */
export const SUMS: readonly string[] = Object.keys(SUM_OF)

export function countedSums(token: string): string[] {
  return Object.values(SUM_OF).map(({ counted }) => counted(`token_out = ${token}`))
}

export function heldSums(token: string): string[] {
  return Object.values(SUM_OF).map(({ held }) => held(`token_out = ${token}`))
}

export const FOLDED_SUMS: readonly string[] = Object.values(SUM_OF).map(({ folded }) => folded)

/** Assignments that add a new row (`excluded`) to the stored one. */
export const MERGED_SUMS: readonly string[] = SUMS.map((column) => `${column} = stored.${column} + excluded.${column}`)

/** Returns the sum of a column; null if a part is null. */
export function knownSum(column: string): string {
  return `CASE WHEN count(${column}) = count(*) THEN sum(${column}) END`
}

/** Returns the sums of a row as text for COPY. */
export function sumsText(row: Readonly<Record<string, string | number | null>>): string {
  return SUMS.map((column) => row[column] ?? NULL).join('\t')
}

/** Hops that buy and sell a token, and their value in USD; null while rows of an older version are not filled in. */
export interface OrderFlow {
  buys: number | null
  sells: number | null
  buy_volume: string | null
  sell_volume: string | null
}

export const ORDER_FLOW = Prisma.raw(`buys::float8 AS buys, (trades - buys)::float8 AS sells,
  buy_volume_usd::text AS buy_volume, (volume_usd - buy_volume_usd)::text AS sell_volume`)

export function mergedCandle(): Prisma.Sql {
  const [storedOpen, newOpen] = ['stored.', 'excluded.'].map((row) => openAtIn(row))
  const [storedClose, newClose] = ['stored.', 'excluded.'].map((row) => closeAtIn(row))
  const later = SIDES.flatMap((side) => [
    `open${side} = CASE WHEN ${storedOpen} < ${newOpen} OR ${newOpen} IS NULL
      THEN stored.open${side} ELSE excluded.open${side} END`,
    `close${side} = CASE WHEN ${storedClose} > ${newClose} OR ${newClose} IS NULL
      THEN ${priceIn('close', side, 'stored.')} ELSE ${priceIn('close', side, 'excluded.')} END`,
    `high${side} = greatest(${priceIn('high', side, 'stored.')}, ${priceIn('high', side, 'excluded.')})`,
    `low${side} = least(${priceIn('low', side, 'stored.')}, ${priceIn('low', side, 'excluded.')})`,
  ])
  const places = [`open_at = least(${storedOpen}, ${newOpen})`, `close_at = greatest(${storedClose}, ${newClose})`]
  return Prisma.raw([...MERGED_SUMS, ...later, ...places].join())
}

/**
 * Splits rows into few lists without repeated keys: an upsert may not touch a row twice, and anyone can create pools
 * that share a key.
 */
export function withoutRepeats<Row>(rows: readonly Row[], keyOf: (row: Row) => string): Row[][] {
  const lists: Map<string, Row>[] = []
  for (const row of rows) {
    const key = keyOf(row)
    const free = lists.find((list) => !list.has(key))
    if (free === undefined) lists.push(new Map([[key, row]]))
    else free.set(key, row)
  }
  return lists.map((list) => [...list.values()])
}

/** @param isInOrder if the hops of each candle come in the order of `at`; a day then takes half of the time */
export function countedCandle(isInOrder = false): Prisma.Sql {
  const isPriced = `FILTER (WHERE price${ANY} IS NOT NULL)`
  const list = (price: string, order: string) => `(array_agg(${price}${isInOrder ? '' : order}) ${isPriced})`
  const prices = SIDES.map((side) => `price${side}`).flatMap((price) => [
    `${list(price, ' ORDER BY at')}[1]`,
    `max(${price})`,
    `min(${price})`,
    `${list(price, ' ORDER BY at DESC')}[${isInOrder ? `count(${price})` : 1}]`,
  ])
  return named([...countedSums('token0'), `min(at) ${isPriced}`, `max(at) ${isPriced}`, ...prices], SIDES)
}

export function foldedCandle(sides: readonly string[]): Prisma.Sql {
  const first = (place: string, column: string) =>
    `(array_agg(${column} ORDER BY ${place}) FILTER (WHERE open_at IS NOT NULL))[1]`
  const prices = sides.flatMap((side) => [
    first('open_at', `open${side}`),
    `max(${priceIn('high', side)})`,
    `min(${priceIn('low', side)})`,
    first('close_at DESC', priceIn('close', side)),
  ])
  return named([...FOLDED_SUMS, 'min(open_at)', 'max(close_at)', ...prices], sides)
}

function named(expressions: readonly string[], sides: readonly string[]): Prisma.Sql {
  return Prisma.raw(asColumns(expressions, candleColumns(sides)))
}

export function asColumns(expressions: readonly string[], columns: readonly string[]): string {
  return expressions.map((expression, n) => `${expression} AS ${columns[n]}`).join()
}

export function differingCandles(
  { stored, counted }: { stored: Prisma.Sql; counted: Prisma.Sql },
  key: string,
  limit: number,
): Prisma.Sql {
  const columns = Prisma.raw(key)
  const line = Prisma.raw(`ROW(${candleColumns(SIDES).join()})::text AS line`)
  const lines = (parts: Prisma.Sql) => Prisma.sql`
    SELECT ${columns}, ${line} FROM (
      SELECT ${columns}, ${foldedCandle(SIDES)} FROM (${parts}) AS parts GROUP BY ${columns}) AS folded`
  return differing(columns, lines(stored), lines(counted), limit)
}

export function differing(key: Prisma.Sql, stored: Prisma.Sql, counted: Prisma.Sql, limit: number): Prisma.Sql {
  return Prisma.sql`
    SELECT concat_ws(' ', ${key}) AS key, stored.line AS stored, counted.line AS counted
    FROM (${stored}) AS stored FULL JOIN (${counted}) AS counted USING (${key})
    WHERE stored.line IS DISTINCT FROM counted.line ORDER BY 1 LIMIT ${limit}`
}

interface Places {
  isPriced: boolean
  openAt: number
  closeAt: number
}

export function storedOpenAt({ isPriced, openAt }: Places, part: number): number | null {
  return isPriced && openAt !== part ? openAt : null
}

export function storedCloseAt({ isPriced, openAt, closeAt }: Places): number | null {
  return isPriced && closeAt !== openAt ? closeAt : null
}

export function storedPrice(price: bigint | undefined, open?: bigint): string | null {
  return price === undefined || price === open ? null : String(price)
}

const MINUTE = Prisma.sql`minute`

export function ofDay(date: string | Prisma.Sql, time = MINUTE): Prisma.Sql {
  return Prisma.sql`${time} >= ${date}::date::timestamp AT TIME ZONE 'UTC'
    AND ${time} < (${date}::date + 1)::timestamp AT TIME ZONE 'UTC'`
}

export function candleColumns(sides: readonly string[]): string[] {
  return [
    ...SUMS,
    'open_at',
    'close_at',
    ...sides.flatMap((side) => ['open', 'high', 'low', 'close'].map((price) => price + side)),
  ]
}

export function withPlaces(parts: Prisma.Sql, key: readonly string[]): Prisma.Sql {
  const columns = Prisma.raw([...key, ...candleColumns(SIDES).filter((column) => !column.endsWith('_at'))].join())
  return Prisma.sql`SELECT ${columns}, ${PLACES} FROM (${parts}) AS part`
}

export interface CandleRow extends OrderFlow {
  time: number
  /** Places of the first and last hop that set a price. */
  open_at: number | null
  close_at: number | null
  trades: number
  unpriced: number
  volume: string
  /** USD per base unit times 10^42; null if no hop set a price. */
  open: string | null
  high: string | null
  low: string | null
  close: string | null
}

export function byInterval(parts: Prisma.Sql, seconds: number): Prisma.Sql {
  return Prisma.sql`
    SELECT time, trades::float8 AS trades, unpriced::float8 AS unpriced, volume_usd::text AS volume, ${ORDER_FLOW},
      open_at, close_at, open::text, high::text, low::text, close::text
    FROM (
      SELECT extract(epoch FROM ${intervalOf(seconds)})::float8 AS time, ${foldedCandle([''])}
      FROM (${parts}) AS part GROUP BY 1
    ) AS folded ORDER BY time`
}

/** Uses date_bin, which is faster than arithmetic for many rows. */
export function intervalOf(seconds: number, time = Prisma.sql`minute`): Prisma.Sql {
  return Prisma.sql`date_bin(make_interval(secs => ${seconds}::int), ${time}, to_timestamp(${FIRST_MONDAY}))`
}

export function secondsOfTime(column: string): Prisma.Sql {
  return Prisma.raw(`extract(epoch FROM ${column})::float8`)
}

/** Whole minutes, in seconds since 1970; `to` is exclusive. */
export interface Span {
  from: number
  to: number
}

/** Seconds before the end of a day; the prices at these times are compared with the last one. */
export const CHANGE_AGES_S = [300, 3_600, 21_600, DAY_S] as const

export function atChangeAges(end: number, last: (before: number) => Prisma.Sql): Prisma.Sql {
  return Prisma.sql`json_build_array(${Prisma.join(CHANGE_AGES_S.map((age) => Prisma.sql`(${last(end - age)})`))})`
}

export function within({ from, to }: Span, time = MINUTE): Prisma.Sql {
  return Prisma.sql`${time} >= to_timestamp(${from}) AND ${time} < to_timestamp(${to})`
}
