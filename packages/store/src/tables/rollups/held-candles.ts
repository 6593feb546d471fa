import { Prisma } from '../../generated/client.ts'
import { isOfKeptDay } from '../kept-days.ts'
import { keyOf } from '../swap/pool-key.ts'
import { HOPS_IN_TRADES } from '../swap/swap-hop.ts'
import { asColumns, heldSums, SUMS } from './merge-candles.ts'
import { ruledHops } from './price-rule.ts'

// Most minutes of a pool have one hop, so a trade whose row holds its hop can itself be a part of candles. `swap.parts`
// has a bit for each candle that the trade is a part of.
export const POOL_PART = 1
export const SOLD_PART = 2
export const BOUGHT_PART = 4
const ALL_PARTS = POOL_PART | SOLD_PART | BOUGHT_PART

function heldHops(part: number, condition: Prisma.Sql): Prisma.Sql {
  // An index can find listed values, but not a bit.
  const values = Array.from({ length: ALL_PARTS + 1 }, (_, value) => value).filter((value) => (value & part) !== 0)
  return Prisma.sql`${HOPS_IN_TRADES} AND parts = ANY (${Prisma.raw(`'{${values.join()}}'`)}::smallint[]) AND ${condition}`
}

const sumsOf = (token: string) => Prisma.raw(asColumns(heldSums(token), SUMS))

/** Only `open` is set: with one hop, all prices are equal (merge-candles.ts). */
function priceColumns(side: string): Prisma.Sql {
  const left = ['high', 'low', 'close'].map((column) => `NULL::numeric AS ${column}${side}`)
  return Prisma.raw([`price${side} AS open${side}`, ...left].join())
}

export interface PartColumns {
  token: Prisma.Sql
  time: Prisma.Sql
}

export type PartCondition = (columns: PartColumns) => Prisma.Sql

/**
 * Leaves out days that are being dropped table by table: rows may remain without the trades that hold the other parts.
 */
export function ofKeptDays(condition: PartCondition): PartCondition {
  return (part) => Prisma.sql`${condition(part)} AND ${isOfKeptDay(part.time)}`
}

const TIME = Prisma.sql`block_time`

export function heldPoolCandles(condition: PartCondition): Prisma.Sql {
  const hops = heldHops(POOL_PART, condition({ token: Prisma.empty, time: TIME }))
  return Prisma.sql`
    SELECT chain_id, pool_key, minute, ${keyOf('token0')} AS token0_key, ${keyOf('token1')} AS token1_key, at AS part,
      ${sumsOf('token0')}, NULL::bigint AS open_at, NULL::bigint AS close_at, ${priceColumns('0')}, ${priceColumns('1')}
    FROM (${ruledHops(hops)}) AS hop`
}

export function heldTokenVolumes(condition: PartCondition): Prisma.Sql {
  const side = (token: string, hops: Prisma.Sql) => Prisma.sql`
    SELECT chain_id, ${Prisma.raw(token)} AS token, minute, at AS part, ${sumsOf(token)} FROM (${ruledHops(hops)}) AS hop`
  return Prisma.sql`
    ${side('token_in', heldHops(SOLD_PART, condition({ token: Prisma.sql`sell_token`, time: TIME })))}
    UNION ALL ${side('token_out', heldHops(BOUGHT_PART, condition({ token: Prisma.sql`buy_token`, time: TIME })))}`
}

export const NOT_HELD_BY_POOL = Prisma.raw(`parts & ${POOL_PART} = 0`)
export const NOT_HELD_BY_TOKEN = Prisma.raw(
  `parts & CASE WHEN token = token_in THEN ${SOLD_PART} ELSE ${BOUGHT_PART} END = 0`,
)
