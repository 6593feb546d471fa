import { type Address, NETWORKS, type NetworkName, type PoolAddress, present, startOfDay } from '@dexfeed/dex'
import type { Db, Reads } from '../database/transaction.ts'
import { type LiquidityHour as Model, type PoolHour, Prisma } from '../generated/client.ts'
import { byteaText, hexOf, json, readRows, readTogether, type Stored, secondsOf, timeOf } from '../stored.ts'
import { intervalOf } from './rollups/merge-candles.ts'

// What pools hold at full hours (UTC): a row per hour and network, and one per hour and pool that has changed since the
// hour before.

/** A full hour, as of the last block before it. Times are seconds since 1970. */
export interface LiquidityHour {
  time: number
  blockNumber: number
  /** Pools hold what their newest row since this hour says: before it, the indexer did not know of all changes. */
  since: number
  /** USD per whole token of the anchors, scaled by 1e18. */
  pricesE18: ReadonlyMap<Address, bigint>
}

export interface HeldAt {
  pool: PoolAddress
  /** By coin of the pool; null if unknown. */
  amounts: readonly bigint[] | null
}

/** Returns the newest hour, or null if none is stored after which the indexer still knows of all changes. */
export async function readLastHour(db: Db, chainId: number): Promise<LiquidityHour | null> {
  const query = Prisma.sql`SELECT *, prices::text[] FROM liquidity_hour WHERE chain_id = ${chainId} ORDER BY time DESC LIMIT 1`
  const [row] = await readRows<Stored<Model>>(db, query)
  return row === undefined || row.is_last ? null : toHour(row)
}

export async function writeHour(db: Db, chainId: number, hour: LiquidityHour): Promise<void> {
  const { time, blockNumber, since, pricesE18 } = hour
  const row: Stored<Model> = {
    chain_id: chainId,
    time: timeOf(time).toISOString(),
    block_number: blockNumber,
    since: timeOf(since).toISOString(),
    is_last: false,
    anchors: [...pricesE18.keys()].map(byteaText),
    prices: [...pricesE18.values()].map(String),
  }
  await db.$executeRaw`
    INSERT INTO liquidity_hour SELECT * FROM json_populate_recordset(NULL::liquidity_hour, ${json([row])})
    ON CONFLICT (chain_id, time) DO UPDATE SET block_number = excluded.block_number, since = excluded.since,
      is_last = excluded.is_last, anchors = excluded.anchors, prices = excluded.prices`
}

export async function writePoolHours(db: Db, chainId: number, time: number, held: readonly HeldAt[]): Promise<void> {
  const rows = held.map(
    ({ pool, amounts }): Stored<PoolHour> => ({
      time: timeOf(time).toISOString(),
      chain_id: chainId,
      pool: byteaText(pool),
      amounts: (amounts ?? []).map(String),
    }),
  )
  await db.$executeRaw`
    INSERT INTO pool_hour SELECT * FROM json_populate_recordset(NULL::pool_hour, ${json(rows)})
    ON CONFLICT (chain_id, pool, time) DO UPDATE SET amounts = excluded.amounts`
}

/** From now on, the indexer no longer knows of all changes. */
export async function endHours(tx: Db, chainId: number): Promise<void> {
  await tx.$executeRaw`UPDATE liquidity_hour SET is_last = true WHERE chain_id = ${chainId}
    AND time = (SELECT max(time) FROM liquidity_hour WHERE chain_id = ${chainId})`
}

export async function deleteHoursAbove(tx: Db, chainId: number, block: number): Promise<void> {
  await tx.$executeRaw`
    WITH gone AS (
      DELETE FROM liquidity_hour WHERE chain_id = ${chainId} AND block_number > ${block} RETURNING time
    )
    DELETE FROM pool_hour WHERE chain_id = ${chainId} AND time >= (SELECT min(time) FROM gone)`
}

/** Deletes all hours of pools whose state proved wrong, because nobody knows since when it is wrong. */
export async function deleteInvalidHours(db: Db, chainId: number): Promise<void> {
  await db.$executeRaw`DELETE FROM pool_hour USING invalidated_pool AS invalid
    WHERE pool_hour.chain_id = ${chainId} AND invalid.chain_id = ${chainId} AND pool_hour.pool = invalid.pool`
}

/** Keeps the last row of each pool, which may still be what it holds. */
export async function deleteHoursBefore(db: Db, day: number): Promise<void> {
  const time = timeOf(startOfDay(day))
  await db.liquidityHour.deleteMany({ where: { time: { lt: time } } })
  await db.$executeRaw`
    DELETE FROM pool_hour AS old USING (
      SELECT chain_id, pool, max(time) AS time FROM pool_hour WHERE time <= ${time} GROUP BY chain_id, pool
    ) AS kept
    WHERE old.chain_id = kept.chain_id AND old.pool = kept.pool AND old.time < kept.time`
}

export interface HeldSelection {
  network: NetworkName
  pool: PoolAddress
  /** Seconds, as are `from` and `to`. */
  interval: number
  from: number
  to: number
}

/** What a pool held at the end of an interval. */
export interface HeldAtEnd extends Pick<LiquidityHour, 'pricesE18'> {
  /** Start of the interval, in seconds. */
  time: number
  amounts: readonly bigint[]
}

/** Returns what a pool held at the last stored hour of each interval, in ascending order, where that is known. */
export async function readHeldAtEnds(
  db: Reads,
  { network, pool, interval, from, to }: HeldSelection,
): Promise<HeldAtEnd[]> {
  const { chainId } = NETWORKS[network]
  const ofPool = Prisma.sql`SELECT time, amounts::text[] FROM pool_hour
    WHERE chain_id = ${chainId} AND pool = ${byteaText(pool)}::bytea`
  const { hours, held } = await readTogether<{
    hours: Stored<Model> & { start: number }
    held: Pick<Stored<PoolHour>, 'time' | 'amounts'>
  }>(db, {
    // An hour ends the interval that contains the second before it.
    hours: Prisma.sql`SELECT DISTINCT ON (start) * FROM (
        SELECT *, prices::text[],
          extract(epoch FROM ${intervalOf(interval, Prisma.sql`time - interval '1 second'`)})::float8 AS start
        FROM liquidity_hour WHERE chain_id = ${chainId} AND time > to_timestamp(${from}) AND time <= to_timestamp(${to})
      ) AS hour ORDER BY start, time DESC`,
    held: Prisma.sql`(${ofPool} AND time <= to_timestamp(${from}) ORDER BY time DESC LIMIT 1) UNION ALL
      (${ofPool} AND time > to_timestamp(${from}) AND time <= to_timestamp(${to})) ORDER BY time`,
  })
  let newest = 0
  return hours.flatMap((row): HeldAtEnd[] => {
    const { time, since, pricesE18 } = toHour(row)
    while (held[newest + 1] !== undefined && secondsOf(held[newest + 1]?.time ?? '') <= time) newest++
    const last = held[newest]
    if (last === undefined || secondsOf(last.time) > time || secondsOf(last.time) < since) return []
    return last.amounts.length === 0 ? [] : [{ time: row.start, amounts: last.amounts.map(BigInt), pricesE18 }]
  })
}

function toHour({ time, block_number, since, anchors, prices }: Stored<Model>): LiquidityHour {
  return {
    time: secondsOf(time),
    blockNumber: Number(block_number),
    since: secondsOf(since),
    pricesE18: new Map(anchors.map((token, index) => [hexOf(token), BigInt(present(prices[index]))])),
  }
}
