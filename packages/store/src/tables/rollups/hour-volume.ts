import { NETWORK_NAMES, NETWORKS, startOfDay, usdE8Of, usdText } from '@dexfeed/dex'
import type { Db } from '../../database/transaction.ts'
import { type HourVolume, Prisma } from '../../generated/client.ts'
import { json, readRows, type Stored, timeOf } from '../../stored.ts'
import { ALL_TRADES, type HourCount } from '../day-counts.ts'
import { keyOf } from '../swap/pool-key.ts'
import { swapsOfDay } from '../swap/swap.ts'
import { type GoneHops, hopsOfDay } from '../swap/swap-hop.ts'
import { ofDay, type Span } from './merge-candles.ts'

const HOUR = Prisma.sql`hour`

export async function countGoneHours(tx: Db, chainId: number, volumes: GoneHops['volumes']): Promise<HourCount[]> {
  if (volumes.length === 0) return []
  const rows = await readRows<Omit<HourCount, 'usdE8'> & { volume: string }>(
    tx,
    Prisma.sql`
      SELECT hour, dex AS protocol, sum(trades) AS trades, sum(unpriced) AS unpriced, sum(volume)::text AS volume
      FROM json_to_recordset(${json(volumes)})
        AS gone (hour bigint, key bigint, trades bigint, unpriced bigint, volume numeric)
      JOIN LATERAL (${dexOfKey(Prisma.sql`${chainId}`, Prisma.sql`gone.key`)}) AS pool ON true
      GROUP BY 1, 2`,
  )
  return rows.map(({ volume, ...row }) => ({ ...row, usdE8: usdE8Of(volume) }))
}

function dexOfKey(chainId: Prisma.Sql, key: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`SELECT dex FROM pool WHERE chain_id = ${chainId} AND ${keyOf('pool.address')} = ${key} ORDER BY dex LIMIT 1`
}

function asRows(chainId: number, counts: readonly HourCount[], sign: 1 | -1): Prisma.Sql {
  const rows = counts.map(
    ({ hour, protocol, trades, unpriced, usdE8 }): Stored<HourVolume> => ({
      chain_id: chainId,
      hour: timeOf(hour).toISOString(),
      protocol,
      trades: sign * trades,
      unpriced: sign * unpriced,
      volume_usd: usdText(BigInt(sign) * usdE8),
    }),
  )
  return Prisma.sql`json_populate_recordset(NULL::hour_volume, ${json(rows)})`
}

export async function addHourVolumes(tx: Db, chainId: number, counts: readonly HourCount[]): Promise<void> {
  if (counts.length === 0) return
  await tx.$executeRaw`
    INSERT INTO hour_volume AS stored (chain_id, hour, protocol, trades, unpriced, volume_usd)
    SELECT chain_id, hour, protocol, trades, unpriced, volume_usd FROM ${asRows(chainId, counts, 1)}
    ORDER BY hour, protocol
    ON CONFLICT (chain_id, hour, protocol) DO UPDATE SET trades = stored.trades + excluded.trades,
      unpriced = stored.unpriced + excluded.unpriced, volume_usd = stored.volume_usd + excluded.volume_usd`
}

/** If pools of two DEXes share a key, all their hops are subtracted from one of the DEXes, but never below zero. */
export async function subtractHourVolumes(tx: Db, chainId: number, counts: readonly HourCount[]): Promise<void> {
  if (counts.length === 0) return
  await tx.$executeRaw`
    UPDATE hour_volume AS stored SET trades = greatest(stored.trades + gone.trades, 0),
      unpriced = greatest(stored.unpriced + gone.unpriced, 0),
      volume_usd = greatest(stored.volume_usd + gone.volume_usd, 0.00000000)
    FROM ${asRows(chainId, counts, -1)} AS gone
    WHERE stored.chain_id = gone.chain_id AND stored.hour = gone.hour AND stored.protocol = gone.protocol`
  const hours = counts.map(({ hour }) => timeOf(hour))
  await tx.hourVolume.deleteMany({ where: { chainId, hour: { in: hours }, trades: 0 } })
}

/** Days since 1970 (UTC), without `end`. Names the networks, so that the primary key is used. */
export async function deleteHours(tx: Db, from: number, end: number): Promise<void> {
  const chainIds = NETWORK_NAMES.map((name) => NETWORKS[name].chainId)
  const hour = { gte: timeOf(startOfDay(from)), lt: timeOf(startOfDay(end)) }
  await tx.hourVolume.deleteMany({ where: { chainId: { in: chainIds }, hour } })
}

export async function addSettledHours(
  tx: Db,
  chainId: number,
  settled: readonly { hour: number; swaps: number; volume: string }[],
): Promise<void> {
  for (const { hour, swaps, volume } of settled) {
    await tx.hourVolume.updateMany({
      where: { chainId, hour: timeOf(hour), protocol: ALL_TRADES },
      data: { unpriced: { decrement: swaps }, volumeUsd: { increment: new Prisma.Decimal(volume) } },
    })
  }
}

export const FIRST_HOURS = Prisma.sql`
  SELECT chain_id, extract(epoch FROM first.hour)::float8 AS hour
  FROM unnest(${NETWORK_NAMES.map((name) => NETWORKS[name].chainId)}::int[]) AS network (chain_id) CROSS JOIN LATERAL (
    SELECT hour FROM hour_volume AS volume WHERE volume.chain_id = network.chain_id ORDER BY hour LIMIT 1) AS first`

export function hourVolumes(chainId: number, protocol: string, seconds: number, { from, to }: Span): Prisma.Sql {
  return volumesBy(
    Prisma.sql`
      SELECT hour AS minute, trades, unpriced, volume_usd FROM hour_volume
      WHERE chain_id = ${chainId} AND protocol = ${protocol}
        AND hour >= to_timestamp(${from}) AND hour < to_timestamp(${to})`,
    seconds,
  )
}

export function volumesBy(parts: Prisma.Sql, seconds: number): Prisma.Sql {
  return Prisma.sql`
    SELECT floor(extract(epoch FROM minute) / ${seconds}::int)::float8 * ${seconds}::int AS time,
      sum(trades)::float8 AS trades, sum(unpriced)::float8 AS unpriced, round(sum(volume_usd), 8)::text AS volume
    FROM (${parts}) AS part GROUP BY 1 ORDER BY 1`
}

function countedHours(date: string): Prisma.Sql {
  const sums = Prisma.raw(
    'count(*) AS trades, count(*) - count(volume_usd) AS unpriced, coalesce(sum(volume_usd), 0.00000000) AS volume_usd',
  )
  return Prisma.sql`
    SELECT chain_id, date_trunc('hour', block_time) AS hour, '' AS protocol, ${sums}
    FROM ${swapsOfDay(date)} AS of_day GROUP BY 1, 2
    UNION ALL
    SELECT chain_id, hour, dex, sum(trades), sum(unpriced), sum(volume_usd)
    FROM (
      SELECT chain_id, pool_key, date_trunc('hour', block_time) AS hour, ${sums}
      FROM (${hopsOfDay(date)}) AS of_day GROUP BY 1, 2, 3
    ) AS counted
    JOIN LATERAL (${dexOfKey(Prisma.sql`counted.chain_id`, Prisma.sql`counted.pool_key`)}) AS pool ON true
    GROUP BY 1, 2, 3`
}

export function differingHours(date: string): Prisma.Sql {
  const line = Prisma.sql`concat_ws(' ', trades, unpriced, round(volume_usd, 8)) AS line`
  return Prisma.sql`
    SELECT concat_ws(' ', chain_id, hour, protocol) AS key, stored.line AS stored, counted.line AS counted
    FROM (SELECT chain_id, hour, protocol, ${line} FROM hour_volume WHERE ${ofDay(date, HOUR)}) AS stored
    FULL JOIN (SELECT chain_id, hour, protocol, ${line} FROM (${countedHours(date)}) AS hours) AS counted
      USING (chain_id, hour, protocol)
    WHERE stored.line IS DISTINCT FROM counted.line ORDER BY 1`
}

export async function recountHours(tx: Db, date: string): Promise<void> {
  await tx.$executeRaw`DELETE FROM hour_volume WHERE ${ofDay(date, HOUR)}`
  await tx.$executeRaw`
    INSERT INTO hour_volume (chain_id, hour, protocol, trades, unpriced, volume_usd) ${countedHours(date)}`
}
