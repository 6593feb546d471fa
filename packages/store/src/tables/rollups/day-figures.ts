import { DAY_S } from '@dexfeed/dex'
import { Prisma } from '../../generated/client.ts'
import type { PartCondition } from './held-candles.ts'
import { atChangeAges, CHANGE_AGES_S, knownSum, type Span, within } from './merge-candles.ts'

interface DayPrices {
  requested: Prisma.Sql
  returned: Prisma.Sql
  table: Prisma.Sql
  heldParts: (condition: PartCondition) => Prisma.Sql
  isOf: PartCondition
  price: Prisma.Sql
  isPriced: Prisma.Sql
  closeAt: Prisma.Sql
}

interface DayFigures extends DayPrices {
  /** Hops of a part that buy and sell the token, and their values. */
  flow: Record<'buys' | 'sells' | 'buyVolume' | 'sellVolume', Prisma.Sql>
}

const MINUTE = Prisma.sql`minute`

function rowsOf({ table, isOf }: DayPrices, span: Span): Prisma.Sql {
  return Prisma.sql`FROM ${table} AS stored WHERE ${isOf({ token: Prisma.sql`token`, time: MINUTE })} AND ${within(span)}`
}

/** The parts that trades hold are read once, into lists of `held`, because no index has them in order. */
function heldOf({ heldParts, isOf }: DayPrices, { from, to }: Span, lists: Prisma.Sql): Prisma.Sql {
  const held = heldParts((part) => Prisma.sql`${isOf(part)} AND ${within({ from: from - DAY_S, to }, part.time)}`)
  return Prisma.sql`CROSS JOIN LATERAL (SELECT ${lists} FROM (${held}) AS part) AS held`
}

function priceLists({ price, isPriced, closeAt }: DayPrices): Prisma.Sql {
  const list = (value: Prisma.Sql) => Prisma.sql`array_agg(${value}) FILTER (WHERE ${isPriced})`
  return Prisma.sql`${list(price)} AS prices, ${list(MINUTE)} AS minutes, ${list(closeAt)} AS places`
}

/** A price is the last close, at most a day older than the start of the day. */
function lastPrices(figures: DayPrices, { from, to }: Span): Prisma.Sql {
  const { price, isPriced, closeAt } = figures
  const last = (before: number) => Prisma.sql`
    SELECT price FROM (
      (SELECT ${price} AS price, minute, ${closeAt} AS at ${rowsOf(figures, { from: from - DAY_S, to: before })} AND ${isPriced}
      ORDER BY minute DESC, ${closeAt} DESC LIMIT 1)
      UNION ALL (SELECT price, minute, at FROM unnest(held.prices, held.minutes, held.places) AS part (price, minute, at)
      WHERE minute < to_timestamp(${before}) ORDER BY minute DESC, at DESC LIMIT 1)
    ) AS newest ORDER BY minute DESC, at DESC LIMIT 1`
  return Prisma.sql`(${last(to)}) AS price, ${atChangeAges(to, last)} AS before`
}

/** Selects the `price` at the end of a day and at CHANGE_AGES_S before (`before`). */
export function dayPrices(figures: DayPrices, span: Span): Prisma.Sql {
  return Prisma.sql`
    SELECT ${figures.returned}, ${lastPrices(figures, span)}
    FROM ${figures.requested} ${heldOf(figures, span, priceLists(figures))}`
}

/** The sums of a part; those of the last four are null if they are unknown. */
const PART = ['trades', 'unpriced', 'volume_usd', 'buys', 'sells', 'buy_volume', 'sell_volume'] as const

/** Sums of the parts between two neighbours in CHANGE_AGES_S: at most as old as entry `index`, older than the one before. */
export type AgeSums = [
  index: number,
  trades: number,
  unpriced: number,
  volume: string,
  buys: number | null,
  sells: number | null,
  buyVolume: string | null,
  sellVolume: string | null,
]

/** Also selects the sums of the day by age (`ages`), and the minute of the first stored trade (`first`). */
export function dayFigures(figures: DayFigures, span: Span): Prisma.Sql {
  const { requested, returned, table, heldParts, isOf, flow } = figures
  const { buys, sells, buyVolume, sellVolume } = flow
  const part = [MINUTE, Prisma.raw('trades'), Prisma.raw('unpriced'), Prisma.raw('volume_usd')]
  part.push(buys, sells, buyVolume, sellVolume)
  const lists = part.map((value, n) => Prisma.sql`array_agg(${value}) FILTER (WHERE ${within(span)}) AS ${ofDay(n)}`)
  const names = Prisma.raw(['minute', ...PART].join())
  const index = CHANGE_AGES_S.slice(0, -1).map((age) => Prisma.sql`(minute < to_timestamp(${span.to - age}))::int`)
  const sums = PART.map((column) =>
    column.includes('volume') ? `round(${knownSum(column)}, 8)::text` : knownSum(column),
  )
  const earlier = heldParts(
    (held) => Prisma.sql`${isOf(held)} AND ${held.time} < coalesce(first.minute, 'infinity'::timestamptz)`,
  )
  return Prisma.sql`
    SELECT ${returned}, ${lastPrices(figures, span)}, ages,
      extract(epoch FROM least(first.minute, first_held.minute))::float8 AS first
    FROM ${requested} ${heldOf(figures, span, Prisma.join([priceLists(figures), ...lists]))}
    CROSS JOIN LATERAL (SELECT json_agg(sums ORDER BY index) AS ages FROM (
      SELECT index, json_build_array(index, ${Prisma.raw(sums.join())}) AS sums
      FROM (SELECT ${Prisma.join(index, ' + ')} AS index, part.* FROM (
        SELECT ${Prisma.join(part)} ${rowsOf(figures, span)}
        UNION ALL SELECT * FROM unnest(${Prisma.join(part.map((_, n) => Prisma.sql`held.${ofDay(n)}`))}) AS of_day
      ) AS part (${names})) AS aged GROUP BY index) AS summed) AS counted
    LEFT JOIN LATERAL (
      SELECT minute FROM ${table} AS kept WHERE ${isOf({ token: Prisma.sql`token`, time: MINUTE })} ORDER BY minute LIMIT 1
    ) AS first ON true
    CROSS JOIN LATERAL (SELECT min(minute) AS minute FROM (${earlier}) AS part) AS first_held`
}

function ofDay(n: number): Prisma.Sql {
  return Prisma.raw(`day${n}`)
}
