import { DAY_S } from '@dexfeed/dex'
import { Prisma } from '../../generated/client.ts'
import type { PartCondition } from './held-candles.ts'
import { atChangeAges, type Span, within } from './merge-candles.ts'

interface DayFigures {
  requested: Prisma.Sql
  returned: Prisma.Sql
  table: Prisma.Sql
  heldParts: (condition: PartCondition) => Prisma.Sql
  isOf: PartCondition
  price: Prisma.Sql
  isPriced: Prisma.Sql
  closeAt: Prisma.Sql
}

const MINUTE = Prisma.sql`minute`

/**
 * Selects the `trades`, `unpriced` and `volume` of a day, the `price` at its end and at CHANGE_AGES_S before
 * (`before`), and the minute of the first stored trade (`first`). A price is the last close, at most a day older than
 * the start of the day. Parts that trades hold are read once into lists, because no index has them in order.
 */
export function dayFigures(figures: DayFigures, { from, to }: Span): Prisma.Sql {
  const { requested, returned, table, heldParts, isOf, price, isPriced, closeAt } = figures
  const isRow = isOf({ token: Prisma.sql`token`, time: MINUTE })
  const oldest = from - DAY_S
  const last = (before: number) => Prisma.sql`
    SELECT price FROM (
      (SELECT ${price} AS price, minute, ${closeAt} AS at FROM ${table} AS priced
      WHERE ${isRow} AND ${within({ from: oldest, to: before })} AND ${isPriced}
      ORDER BY minute DESC, ${closeAt} DESC LIMIT 1)
      UNION ALL (SELECT price, minute, at FROM unnest(held.prices, held.minutes, held.places) AS part (price, minute, at)
      WHERE minute < to_timestamp(${before}) ORDER BY minute DESC, at DESC LIMIT 1)
    ) AS newest ORDER BY minute DESC, at DESC LIMIT 1`
  const sums = (condition: Prisma.Sql) => Prisma.sql`coalesce(sum(trades) FILTER (WHERE ${condition}), 0) AS trades,
    coalesce(sum(unpriced) FILTER (WHERE ${condition}), 0) AS unpriced,
    coalesce(sum(volume_usd) FILTER (WHERE ${condition}), 0) AS volume`
  const list = (value: Prisma.Sql) => Prisma.sql`array_agg(${value}) FILTER (WHERE ${isPriced})`
  const held = heldParts((part) => Prisma.sql`${isOf(part)} AND ${within({ from: oldest, to }, part.time)}`)
  const earlier = heldParts(
    (part) => Prisma.sql`${isOf(part)} AND ${part.time} < coalesce(first.minute, 'infinity'::timestamptz)`,
  )
  return Prisma.sql`
    SELECT ${returned}, (counted.trades + held.trades)::float8 AS trades,
      (counted.unpriced + held.unpriced)::float8 AS unpriced, round(counted.volume + held.volume, 8)::text AS volume,
      (${last(to)}) AS price, ${atChangeAges(to, last)} AS before,
      extract(epoch FROM least(first.minute, first_held.minute))::float8 AS first
    FROM ${requested}
    CROSS JOIN LATERAL (
      SELECT ${sums(Prisma.sql`true`)} FROM ${table} AS day WHERE ${isRow} AND ${within({ from, to })}
    ) AS counted
    CROSS JOIN LATERAL (
      SELECT ${sums(within({ from, to }))}, ${list(price)} AS prices, ${list(MINUTE)} AS minutes,
        ${list(closeAt)} AS places
      FROM (${held}) AS part
    ) AS held
    LEFT JOIN LATERAL (SELECT minute FROM ${table} AS kept WHERE ${isRow} ORDER BY minute LIMIT 1) AS first ON true
    CROSS JOIN LATERAL (SELECT min(minute) AS minute FROM (${earlier}) AS part) AS first_held`
}
