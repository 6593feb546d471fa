import { type PoolAddress, type PoolStateAt, present, type TickLiquidityAt } from '@dexfeed/dex'
import type { Db } from '../database/transaction.ts'
import { type PoolTick, Prisma } from '../generated/client.ts'
import { byteaList, byteaText, hexOf, json, readRows, type Stored } from '../stored.ts'
import { placesOf, upTo } from './pool-state.ts'

export type TickRow = Omit<Stored<PoolTick>, 'chain_id' | 'revision'>

const COLUMNS = Prisma.sql`pool, tick, block_number, gross::text, net::text`

export function toTick({ pool, tick, block_number, gross, net }: TickRow): TickLiquidityAt {
  return { pool: hexOf(pool), tick, blockNumber: Number(block_number), gross: BigInt(gross), net: BigInt(net) }
}

function asRows(ticks: readonly TickLiquidityAt[]): Prisma.Sql {
  const rows = ticks.map(
    ({ pool, tick, blockNumber, gross, net }): TickRow => ({
      pool: byteaText(pool),
      tick,
      block_number: blockNumber,
      gross: String(gross),
      net: String(net),
    }),
  )
  return Prisma.sql`json_populate_recordset(NULL::pool_tick, ${json(rows)})`
}

const OR_REPLACE = Prisma.sql`ON CONFLICT (chain_id, pool, tick, block_number)
  DO UPDATE SET revision = excluded.revision, gross = excluded.gross, net = excluded.net`

/**
 * Ordered by pool and tick, including ticks no longer initialised. Postgres sends one row per pool, because there are
 * millions of ticks.
 */
export async function readTickPage(
  db: Db,
  chainId: number,
  after: TickLiquidityAt | null,
  limit: number,
): Promise<TickLiquidityAt[]> {
  type OfPool = { pool: string; ticks: number[]; blocks: number[]; grosses: string[]; nets: string[] }
  const rows = await readRows<OfPool>(
    db,
    Prisma.sql`SELECT pool, json_agg(tick) AS ticks, json_agg(block_number) AS blocks, json_agg(gross) AS grosses,
        json_agg(net) AS nets
      FROM (SELECT DISTINCT ON (pool, tick) ${COLUMNS} FROM pool_tick
        WHERE chain_id = ${chainId} AND (pool, tick) > (${placeOf(after)})
        ORDER BY pool, tick, block_number DESC LIMIT ${limit}) AS page
      GROUP BY pool ORDER BY pool`,
  )
  return rows.flatMap(({ pool: text, ticks, blocks, grosses, nets }) => {
    const pool = hexOf(text)
    return ticks.map((tick, index): TickLiquidityAt => {
      const gross = BigInt(present(grosses[index]))
      const net = BigInt(present(nets[index]))
      return { pool, tick, blockNumber: present(blocks[index]), gross, net }
    })
  })
}

export function ticksOf(chainId: number, pools: readonly PoolAddress[], atBlock?: number): Prisma.Sql {
  return Prisma.sql`SELECT * FROM (${tickVersionsOf(chainId, pools, atBlock)}) AS newest WHERE gross <> '0'`
}

export function tickVersionsOf(chainId: number, pools: readonly PoolAddress[], atBlock?: number): Prisma.Sql {
  return Prisma.sql`SELECT DISTINCT ON (pool, tick) ${COLUMNS} FROM pool_tick
    WHERE chain_id = ${chainId} AND pool IN (${byteaList(pools)}) ${upTo(atBlock)}
    ORDER BY pool, tick, block_number DESC`
}

export function changedTicks(
  chainId: number,
  revision: number,
  after: TickLiquidityAt | null,
  limit: number,
): Prisma.Sql {
  return Prisma.sql`SELECT DISTINCT ON (pool, tick) ${COLUMNS}
    FROM (SELECT * FROM pool_tick WHERE chain_id = ${chainId} AND revision > ${revision} OFFSET 0) AS changed
    WHERE (pool, tick) > (${placeOf(after)}) ORDER BY pool, tick, block_number DESC LIMIT ${limit}`
}

function placeOf(after: TickLiquidityAt | null): Prisma.Sql {
  return after === null ? Prisma.sql`'', 0` : Prisma.sql`${byteaText(after.pool)}::bytea, ${after.tick}`
}

/** Returns CTEs for `moveHead`. They write one version per tick and block, each based on the previous one. */
export function addedTickDeltas(chainId: number, revision: number, deltas: readonly TickLiquidityAt[]): Prisma.Sql {
  return Prisma.sql`
    delta AS (
      SELECT pool, tick, block_number, sum(gross) AS gross, sum(net) AS net FROM ${asRows(deltas)} GROUP BY 1, 2, 3
    ), newest AS (
      SELECT touched.pool, touched.tick, version.gross, version.net
      FROM (SELECT DISTINCT pool, tick FROM delta) AS touched
      CROSS JOIN LATERAL (
        SELECT gross, net FROM pool_tick
        WHERE chain_id = ${chainId} AND pool = touched.pool AND tick = touched.tick
        ORDER BY block_number DESC LIMIT 1
      ) AS version
    ), written_ticks AS (
      INSERT INTO pool_tick (chain_id, revision, pool, tick, block_number, gross, net)
      SELECT ${chainId}::int, ${revision}::bigint, pool, tick, delta.block_number,
        coalesce(newest.gross, 0) + sum(delta.gross) OVER so_far, coalesce(newest.net, 0) + sum(delta.net) OVER so_far
      FROM delta LEFT JOIN newest USING (pool, tick)
      WINDOW so_far AS (PARTITION BY pool, tick ORDER BY delta.block_number)
      ${OR_REPLACE})`
}

export async function replaceTicks(
  tx: Db,
  chainId: number,
  revision: number,
  { states, ticks }: { states: readonly PoolStateAt[]; ticks: readonly TickLiquidityAt[] },
): Promise<void> {
  await tx.$executeRaw`
    INSERT INTO pool_tick (chain_id, revision, pool, tick, block_number, gross, net)
    SELECT ${chainId}::int, ${revision}::bigint, snapshot.pool, newest.tick, snapshot.block_number, 0, 0
    FROM json_populate_recordset(NULL::pool_tick, ${placesOf(states)}) AS snapshot
    CROSS JOIN LATERAL (
      SELECT DISTINCT ON (tick) tick, gross FROM pool_tick
      WHERE chain_id = ${chainId} AND pool = snapshot.pool ORDER BY tick, block_number DESC
    ) AS newest
    WHERE newest.gross > 0
    ${OR_REPLACE}`
  if (ticks.length === 0) return
  await tx.$executeRaw`
    INSERT INTO pool_tick (chain_id, revision, pool, tick, block_number, gross, net)
    SELECT ${chainId}::int, ${revision}::bigint, pool, tick, block_number, gross, net FROM ${asRows(ticks)}
    ${OR_REPLACE}`
}

/**
 * Marks the versions below the blocks of `states` as no longer initialised. If they were deleted, and a rollback
 * removed the states before a reader saw them, the reader would keep the old ticks.
 */
export async function endOlderTicks(
  tx: Db,
  chainId: number,
  revision: number,
  states: readonly PoolStateAt[],
): Promise<void> {
  await tx.$executeRaw`
    UPDATE pool_tick AS old SET revision = ${revision}, gross = 0, net = 0
    FROM json_populate_recordset(NULL::pool_tick, ${placesOf(states)}) AS kept
    WHERE old.chain_id = ${chainId} AND old.pool = kept.pool AND old.block_number < kept.block_number AND old.gross > 0`
}

/**
 * Returns the pools for which `deltas` are impossible after block `atBlock`: a tick would get negative liquidity, or
 * more than a pool can hold.
 */
export async function readOverdrawn(
  db: Db,
  chainId: number,
  atBlock: number,
  deltas: readonly TickLiquidityAt[],
): Promise<PoolAddress[]> {
  const max = Prisma.raw('(2::numeric ^ 127 - 1)')
  const query = Prisma.sql`
    SELECT DISTINCT pool FROM (
      SELECT pool, tick, sum(gross) OVER later AS gross, sum(net) OVER later AS net FROM ${asRows(deltas)}
      WINDOW later AS (PARTITION BY pool, tick ORDER BY block_number)
    ) AS changed
    LEFT JOIN LATERAL (
      SELECT gross, net FROM pool_tick AS version
      WHERE chain_id = ${chainId} AND version.pool = changed.pool AND version.tick = changed.tick
        AND block_number <= ${atBlock}
      ORDER BY block_number DESC LIMIT 1
    ) AS stored ON true
    WHERE changed.gross + coalesce(stored.gross, 0) NOT BETWEEN 0 AND ${max}
      OR changed.net + coalesce(stored.net, 0) NOT BETWEEN -${max} AND ${max}`
  return (await readRows<{ pool: string }>(db, query)).map(({ pool }) => hexOf(pool))
}

/** Keeps the newest version even if its tick is no longer initialised, so that a disconnected reader learns of it. */
export async function pruneTicks(
  db: Db,
  chainId: number,
  { after, final }: { after: number; final: number },
): Promise<void> {
  await db.$executeRaw`
    DELETE FROM pool_tick AS old USING (
      SELECT pool, tick, max(block_number) AS block_number FROM pool_tick
      WHERE chain_id = ${chainId} AND block_number > ${after} AND block_number <= ${final} GROUP BY pool, tick
    ) AS kept
    WHERE old.chain_id = ${chainId} AND old.pool = kept.pool AND old.tick = kept.tick
      AND old.block_number < kept.block_number`
}

export async function deleteTicks(tx: Db, chainId: number, above = -1): Promise<void> {
  await tx.poolTick.deleteMany({ where: { chainId, blockNumber: { gt: above } } })
}

export async function deleteTicksOf(tx: Db, chainId: number, pools: readonly PoolAddress[]): Promise<void> {
  if (pools.length === 0) return
  await tx.$executeRaw`DELETE FROM pool_tick WHERE chain_id = ${chainId} AND pool IN (${byteaList(pools)})`
}
