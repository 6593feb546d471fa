import { Prisma } from '../../generated/client.ts'
import { HOPS_IN_TRADES } from './swap-hop.ts'

// A trade that holds its hop can be a part of candles itself (docs/internals/candles.md): most minutes of a pool have one
// hop, so history then writes no other row for it. `swap.parts` has a bit for each such candle.

export const POOL_PART = 1
export const SOLD_PART = 2
export const BOUGHT_PART = 4
const ALL_PARTS = POOL_PART | SOLD_PART | BOUGHT_PART

/** All values of `parts` with this bit, listed: like this an index serves the condition. */
function hasPart(part: number): Prisma.Sql {
  const values = Array.from({ length: ALL_PARTS + 1 }, (_, value) => value).filter((value) => (value & part) !== 0)
  return Prisma.raw(`parts = ANY ('{${values.join()}}'::smallint[])`)
}

/** Selects the hops that are parts of candles of their pools, with the columns of HOPS (swap_pool_idx). */
export function hopsHeldByPool(condition: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`${HOPS_IN_TRADES} AND ${hasPart(POOL_PART)} AND ${condition}`
}

/** Selects the hops that are parts of candles of the token sold (swap_sell_token_idx). */
export function hopsHeldBySold(condition: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`${HOPS_IN_TRADES} AND ${hasPart(SOLD_PART)} AND ${condition}`
}

/** Selects the hops that are parts of candles of the token bought (swap_buy_token_idx). */
export function hopsHeldByBought(condition: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`${HOPS_IN_TRADES} AND ${hasPart(BOUGHT_PART)} AND ${condition}`
}
