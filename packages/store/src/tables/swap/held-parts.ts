import { Prisma } from '../../generated/client.ts'
import { HOPS_IN_TRADES } from './swap-hop.ts'

// A trade that holds its hop can itself be a part of candles: most minutes of a pool have one hop, so history then
// writes no other row for it. `swap.parts` has a bit for each such candle.

export const POOL_PART = 1
export const SOLD_PART = 2
export const BOUGHT_PART = 4
const ALL_PARTS = POOL_PART | SOLD_PART | BOUGHT_PART

/** With the columns of HOPS. */
export function heldHops(part: number, condition: Prisma.Sql): Prisma.Sql {
  // Listed values can be looked up in an index, a bit cannot.
  const values = Array.from({ length: ALL_PARTS + 1 }, (_, value) => value).filter((value) => (value & part) !== 0)
  return Prisma.sql`${HOPS_IN_TRADES} AND parts = ANY (${Prisma.raw(`'{${values.join()}}'`)}::smallint[]) AND ${condition}`
}
