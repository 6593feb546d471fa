import { type BlockRange, DAY_S, dayOf, NETWORKS, type NetworkName, startOfDay } from '@dexfeed/dex'
import type { Db } from '../../database/transaction.ts'
import { Prisma } from '../../generated/client.ts'

// Times have no index. A binary search over the block numbers of the relevant days finds a block along swap_pkey, one
// row per step.

/** How far block times may deviate from the order of block numbers. */
const MARGIN_S = 600

/**
 * Returns a condition with constants, because Postgres then leaves the partitions of other days out of the plan: with
 * those of a month, a plan takes megabytes, and longer to make than the search.
 */
export function withinDays(days: readonly number[]): Prisma.Sql {
  const from = startOfDay(Math.min(...days))
  const to = startOfDay(Math.max(...days) + 1)
  return Prisma.raw(`block_time >= to_timestamp(${from}) AND block_time < to_timestamp(${to})`)
}

/** The greatest `low` is the first block that is not older than `target` (seconds). */
function halving(ofDays: Prisma.Sql, target: number): Prisma.Sql {
  return Prisma.sql`RECURSIVE probe(low, high) AS (
      SELECT
        (SELECT block_number FROM swap WHERE ${ofDays} ORDER BY block_number LIMIT 1),
        (SELECT block_number FROM swap WHERE ${ofDays} ORDER BY block_number DESC LIMIT 1)
      UNION ALL
      SELECT
        CASE WHEN next.block_time < to_timestamp(${target}) THEN next.block_number + 1 ELSE probe.low END,
        CASE WHEN next.block_time < to_timestamp(${target}) THEN probe.high ELSE probe.low + (probe.high - probe.low) / 2 END
      FROM probe CROSS JOIN LATERAL (
        SELECT block_number, block_time FROM swap
        WHERE ${ofDays} AND block_number >= probe.low + (probe.high - probe.low) / 2 ORDER BY block_number LIMIT 1
      ) next
      WHERE probe.low < probe.high
    )`
}

export async function findWindow(db: Db, network: NetworkName, since: number): Promise<BlockRange | null> {
  const target = since - MARGIN_S
  const ofDays = Prisma.sql`chain_id = ${NETWORKS[network].chainId} AND block_time >= to_timestamp(${target - (target % DAY_S)})`
  const [found] = await db.$queryRaw<{ from: number | null; to: number | null }[]>`
    WITH ${halving(ofDays, target)}
    SELECT max(low)::float8 AS "from", max(high)::float8 AS "to" FROM probe WHERE low IS NOT NULL`
  return found?.from == null || found.to === null ? null : { from: found.from, to: found.to }
}

/**
 * Returns an expression for a block of the day of `time` (seconds): the first that may hold a swap at or after `time`, or
 * for `until` the last that may hold an earlier swap. Its value is null if the day has no swaps.
 */
export function blockOfTime(network: NetworkName, time: number, bound: 'since' | 'until'): Prisma.Sql {
  const ofDay = Prisma.sql`chain_id = ${NETWORKS[network].chainId} AND ${withinDays([dayOf(time)])}`
  const target = bound === 'since' ? time - MARGIN_S : time + MARGIN_S
  return Prisma.sql`(WITH ${halving(ofDay, target)} SELECT max(low)::bigint FROM probe)`
}
