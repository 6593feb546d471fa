import { dateOfDay, FLAG_SETTLEMENT, type NetworkName, type PoolAddress, ROW_RULES } from '@dexfeed/dex'
import type { Database } from '../database/database.ts'
import { type Db, inSnapshot } from '../database/transaction.ts'
import { Prisma } from '../generated/client.ts'
import { keyOf } from './swap/pool-key.ts'
import { swapsOfDay } from './swap/swap.ts'
import { hopsOfDay } from './swap/swap-hop.ts'

export const WASH_ROUND_TRIPS = 1
export const WASH_FEW_TRADERS = 2
export const WASH_MATCHED = 4

export interface WashThresholds {
  minVolumeUsd: number
  /** With fewer swaps, a pool is judged only if its volume is at least `minSwaps` times `minVolumeUsd`. */
  minSwaps: number
  /** Share that addresses traded back and forth between two tokens. */
  roundTripPercent: number
  /** Number of the most active addresses whose combined share is compared with `topTradersPercent`. */
  topTraders: number
  topTradersPercent: number
  /** Share of exactly equal amounts that one address bought and another sold. */
  matchedPercent: number
}

export interface WashDay {
  day: string
  flaggedPools: number
  flaggedVolumeUsd: string
}

function thresholdsText(thresholds: WashThresholds): string {
  return JSON.stringify([...Object.entries(thresholds).sort(([a], [b]) => (a < b ? -1 : 1)), ['rules', ROW_RULES]])
}

export async function judgeWashDay(
  database: Database,
  chainId: number,
  thresholds: WashThresholds,
): Promise<WashDay | null> {
  const text = thresholdsText(thresholds)
  const judge = async (tx: Db) => {
    const day = await dueDay(tx, chainId, text)
    if (day === null) return null
    await flagPools(tx, chainId, day, thresholds)
    return noteJudged(tx, chainId, day, text)
  }
  return inSnapshot(database, judge)
}

/**
 * Returns the newest day (YYYY-MM-DD) that is over, final and fully covered under the current rules, but not yet judged
 * with its present total and these thresholds.
 */
async function dueDay(tx: Db, chainId: number, thresholds: string): Promise<string | null> {
  const [row] = await tx.$queryRaw<{ day: string }[]>`
    SELECT to_char(t.day, 'YYYY-MM-DD') AS day
    FROM day_total t
    CROSS JOIN LATERAL (
      SELECT t.day::timestamp AT TIME ZONE 'UTC' AS begin, (t.day + 1)::timestamp AT TIME ZONE 'UTC' AS end
    ) span
    JOIN network n USING (chain_id)
    LEFT JOIN wash_day w USING (chain_id, day)
    WHERE t.chain_id = ${chainId}
      AND (w.day IS NULL OR w.swaps <> t.swaps OR w.volume_usd <> t.volume_usd OR w.thresholds <> ${thresholds})
      AND EXISTS (
        SELECT FROM covered_range c WHERE c.chain_id = ${chainId} AND (c.from_time < span.begin OR c.from_block = 0)
          AND c.to_time >= span.end AND c.rules = ${ROW_RULES}
      )
      AND span.end <= (SELECT max(b.block_time) FROM block b WHERE b.chain_id = ${chainId} AND b.number <= n.final_number)
      AND EXISTS (SELECT FROM swap s WHERE s.chain_id = ${chainId} AND s.block_time >= span.begin AND s.block_time < span.end)
    ORDER BY t.day DESC LIMIT 1`
  return row?.day ?? null
}

/** The two tokens of an order that no pool filled; such a pair is judged like a pool. */
const PAIR = Prisma.raw('least(sell_token, buy_token) || greatest(sell_token, buy_token)')
const PAIR_BYTES = 40

function ordersOfDay(chainId: number, date: string): Prisma.Sql {
  return Prisma.sql`(SELECT *, ${PAIR} AS pair FROM ${swapsOfDay(date)} AS trade
    WHERE chain_id = ${chainId} AND pool_key IS NULL AND flags & ${FLAG_SETTLEMENT} <> 0)`
}

const DIRECTIONS = Prisma.sql`direction AS (
      SELECT pool_key, trader, coalesce(sum(volume_usd) FILTER (WHERE sell_token < buy_token), 0) AS forth,
        coalesce(sum(volume_usd) FILTER (WHERE sell_token > buy_token), 0) AS back
      FROM trade JOIN busy USING (pool_key)
      GROUP BY pool_key, trader, least(sell_token, buy_token), greatest(sell_token, buy_token)
    )`

/** Amounts of a token that one address bought and another sold, exactly equal. */
const MATCHES = Prisma.sql`leg AS (
      SELECT pool_key, buy_token AS token, buy_amount AS amount, trader, volume_usd AS bought, 0 AS sold
      FROM trade JOIN busy USING (pool_key)
      UNION ALL
      SELECT pool_key, sell_token, sell_amount, trader, 0, volume_usd FROM trade JOIN busy USING (pool_key)
    ), equal AS (
      SELECT pool_key, token, 2 * least(sum(bought), sum(sold)) AS matched FROM leg
      GROUP BY pool_key, token, amount
      HAVING count(DISTINCT trader) > 1 AND sum(bought) > 0 AND sum(sold) > 0
    ), matches AS (
      SELECT pool_key, max(matched) AS matched
      FROM (SELECT pool_key, token, sum(matched) AS matched FROM equal GROUP BY pool_key, token) AS of_token
      GROUP BY pool_key
    )`

/**
 * Flags pools, and token pairs whose orders no pool filled (docs/internals/usd.md, "Wash trading"). Of the two tokens,
 * the one with the larger matched volume counts: amounts that match in one token usually match in the other, too.
 */
async function flagPools(tx: Db, chainId: number, date: string, t: WashThresholds): Promise<void> {
  await tx.poolDayWash.deleteMany({ where: { chainId, day: new Date(date) } })
  await tx.$executeRaw`
    WITH trade AS MATERIALIZED (
      SELECT hop.pool_key, trade.trader, token_in AS sell_token, amount_in AS sell_amount, token_out AS buy_token,
        amount_out AS buy_amount, hop.volume_usd
      FROM (${hopsOfDay(date)}) AS hop
      JOIN ${swapsOfDay(date)} AS trade USING (chain_id, block_number, transaction_index, position)
      WHERE chain_id = ${chainId} AND hop.volume_usd IS NOT NULL AND trade.trader IS NOT NULL
      UNION ALL
      SELECT ${keyOf('sha256(pair)')}, coalesce(settled_for, trader), sell_token, sell_amount, buy_token, buy_amount,
        volume_usd
      FROM ${ordersOfDay(chainId, date)} AS orders
      WHERE volume_usd IS NOT NULL AND coalesce(settled_for, trader) IS NOT NULL
    ), busy AS (
      SELECT pool_key, count(*) AS swaps, sum(volume_usd) AS volume FROM trade GROUP BY pool_key
      HAVING sum(volume_usd) >= ${t.minVolumeUsd} AND sum(volume_usd) > 0
        AND (count(*) >= ${t.minSwaps} OR sum(volume_usd) >= ${t.minVolumeUsd} * ${t.minSwaps}::numeric)
    ), ${DIRECTIONS}, by_trader AS (
      SELECT pool_key, trader, sum(forth + back) AS volume, sum(2 * least(forth, back)) AS round_trip,
        row_number() OVER (PARTITION BY pool_key ORDER BY sum(forth + back) DESC, trader) AS place
      FROM direction GROUP BY pool_key, trader
    ), traders AS (
      SELECT pool_key, count(*) AS traders, sum(round_trip) AS round_trip,
        sum(volume) FILTER (WHERE place <= ${t.topTraders}) AS top
      FROM by_trader GROUP BY pool_key
    ), ${MATCHES}, judged AS (
      SELECT pool_key, swaps, traders, volume, round_trip, top, least(coalesce(matched, 0), volume) AS matched,
        (round_trip * 100 >= volume * ${t.roundTripPercent})::int + 2 * (top * 100 >= volume * ${t.topTradersPercent})::int
          + 4 * (least(coalesce(matched, 0), volume) * 100 >= volume * ${t.matchedPercent})::int AS flags
      FROM busy JOIN traders USING (pool_key) LEFT JOIN matches USING (pool_key)
    ), named AS (
      SELECT ${keyOf('address')} AS pool_key, (array_agg(address ORDER BY address))[1] AS pool
      FROM pool
      WHERE chain_id = ${chainId} GROUP BY 1
      UNION ALL
      SELECT DISTINCT ${keyOf('sha256(pair)')}, pair FROM ${ordersOfDay(chainId, date)} AS orders
    )
    INSERT INTO pool_day_wash
    SELECT ${chainId}::int, ${date}::date, pool, swaps, traders, volume, round_trip, top, matched, flags
    FROM judged JOIN named USING (pool_key) WHERE flags <> 0`
}

/** Days since 1970 (UTC), without `end`. They are judged again. */
export async function deleteWashDays(tx: Db, from: number, end: number): Promise<void> {
  const day = { gte: new Date(dateOfDay(from)), lt: new Date(dateOfDay(end)) }
  await tx.poolDayWash.deleteMany({ where: { day } })
  await tx.washDay.deleteMany({ where: { day } })
}

async function noteJudged(tx: Db, chainId: number, date: string, thresholds: string): Promise<WashDay | null> {
  const ofDay = Prisma.sql`chain_id = ${chainId} AND day = ${date}::date`
  await tx.$executeRaw`
    INSERT INTO wash_day
    SELECT t.chain_id, t.day, t.swaps, t.volume_usd, ${thresholds}, flagged.pools, trades.volume
    FROM day_total t, (SELECT count(*) AS pools FROM pool_day_wash WHERE ${ofDay}) flagged, (
      SELECT coalesce(sum(volume_usd), 0) AS volume FROM ${swapsOfDay(date)} AS trade
      JOIN (
        SELECT DISTINCT chain_id, block_number, transaction_index, position FROM (${hopsOfDay(date)}) AS hop
        WHERE chain_id = ${chainId}
          AND pool_key IN (SELECT ${keyOf('pool')} FROM pool_day_wash WHERE ${ofDay} AND length(pool) <> ${PAIR_BYTES})
        UNION
        SELECT chain_id, block_number, transaction_index, position FROM ${ordersOfDay(chainId, date)} AS orders
        WHERE pair IN (SELECT pool FROM pool_day_wash WHERE ${ofDay})
      ) passing USING (chain_id, block_number, transaction_index, position)
      WHERE trader IS NOT NULL
    ) trades
    WHERE t.chain_id = ${chainId} AND t.day = ${date}::date
    ON CONFLICT (chain_id, day) DO UPDATE SET swaps = excluded.swaps, volume_usd = excluded.volume_usd,
      thresholds = excluded.thresholds, flagged_pools = excluded.flagged_pools,
      flagged_volume_usd = excluded.flagged_volume_usd`
  return readWashDay(tx, chainId, date)
}

export async function readWashDay(db: Db, chainId: number, date?: string): Promise<WashDay | null> {
  const ofDate = date === undefined ? Prisma.empty : Prisma.sql`AND day = ${date}::date`
  const [row] = await db.$queryRaw<WashDay[]>`
    SELECT to_char(day, 'YYYY-MM-DD') AS day, flagged_pools::float8 AS "flaggedPools",
      flagged_volume_usd::text AS "flaggedVolumeUsd"
    FROM wash_day WHERE chain_id = ${chainId} ${ofDate} ORDER BY wash_day.day DESC LIMIT 1`
  return row ?? null
}

/** Volumes are USD with eight fractional digits. */
export interface WashPool {
  day: string
  network: NetworkName
  /** For orders that no pool filled, the addresses of the two tokens, concatenated. */
  pool: PoolAddress
  swaps: number
  traders: number
  volumeUsd: string
  roundTripUsd: string
  topTradersUsd: string
  matchedUsd: string
  /** Bits: WASH_ROUND_TRIPS, WASH_FEW_TRADERS, WASH_MATCHED. */
  flags: number
}

export interface WashDayFlags {
  day: string
  network: NetworkName
  volumeUsd: string
  flaggedVolumeUsd: string
  flaggedPools: number
}

export function washDays(last: string, count: number): Prisma.Sql {
  return Prisma.sql`
    SELECT w.day, n.name AS network, ${usd('w.volume_usd')} AS "volumeUsd",
      ${usd('w.flagged_volume_usd')} AS "flaggedVolumeUsd", w.flagged_pools AS "flaggedPools"
    FROM wash_day w JOIN network n USING (chain_id)
    WHERE n.active AND w.day BETWEEN ${last}::date - (${count}::int - 1) AND ${last}::date
    ORDER BY w.day DESC, w.chain_id`
}

export function unjudgedDays(last: string, count: number): Prisma.Sql {
  return Prisma.sql`
    SELECT count(*)::int AS days FROM day_total t JOIN network n USING (chain_id) LEFT JOIN wash_day w USING (chain_id, day)
    WHERE n.active AND t.day BETWEEN ${last}::date - (${count}::int - 1) AND ${last}::date - 1 AND t.swaps > 0
      AND w.day IS NULL`
}

export function washPools(last: string, count: number, limit: number): Prisma.Sql {
  return Prisma.sql`
    SELECT p.day, n.name AS network, '0x' || encode(p.pool, 'hex') AS pool, p.swaps, p.traders,
      ${usd('p.volume_usd')} AS "volumeUsd", ${usd('p.round_trip_usd')} AS "roundTripUsd",
      ${usd('p.top_traders_usd')} AS "topTradersUsd", ${usd('p.matched_usd')} AS "matchedUsd", p.flags
    FROM pool_day_wash p JOIN network n USING (chain_id)
    WHERE n.active AND p.day BETWEEN ${last}::date - (${count}::int - 1) AND ${last}::date
    ORDER BY p.day DESC, p.volume_usd DESC, p.chain_id, p.pool LIMIT ${limit}`
}

function usd(column: string): Prisma.Sql {
  return Prisma.raw(`round(${column}, 8)::text`)
}
