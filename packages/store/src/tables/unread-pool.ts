import { type Pool, type PoolAddress, stateReadingOf } from '@dexfeed/dex'
import type { Db } from '../database/transaction.ts'
import { type UnreadPool as Model, type Pool as PoolModel, Prisma } from '../generated/client.ts'
import { byteaList, byteaText, hexOf, json, readRows, type Stored } from '../stored.ts'
import { invalidatedPools } from './invalidated-pool.ts'
import { insertPools, type PoolRow, toPool } from './pool.ts'

// The table has at most a few thousand rows, and none once the states of all pools are read.

/**
 * The `place` of a pool that a history commit found and the network's writer does not know yet. Stored together with
 * the pool, so that no quote counts as complete without the pool.
 */
const FOUND = 0

export interface UnreadPool {
  pool: PoolAddress
  /** Rank by trades of the last day, from 1; null without trades. */
  place: number | null
}

export interface UnreadChanges {
  unread: readonly UnreadPool[]
  /** Pools to remove from the list; null removes all that are not in `unread`, except found ones. */
  read: readonly PoolAddress[] | null
}

export async function writeUnreadPools(
  db: Db,
  chainId: number,
  epoch: number,
  { unread, read }: UnreadChanges,
): Promise<void> {
  const rows = unread.map(({ pool, place }): Stored<Model> => ({ chain_id: chainId, pool: byteaText(pool), place }))
  await db.$executeRaw`
    WITH given AS MATERIALIZED (
      SELECT * FROM json_populate_recordset(NULL::unread_pool, ${json(rows)})
    ), writer AS MATERIALIZED (
      SELECT FROM network WHERE chain_id = ${chainId} AND writer_epoch = ${epoch}
    ), gone AS (
      DELETE FROM unread_pool AS stored WHERE chain_id = ${chainId} AND EXISTS (SELECT FROM writer)
        AND ${
          read === null
            ? Prisma.sql`place IS DISTINCT FROM ${FOUND} AND NOT EXISTS (SELECT FROM given WHERE given.pool = stored.pool)`
            : Prisma.sql`pool = ANY (${read.map(byteaText)}::text[]::bytea[])`
        }
    )
    INSERT INTO unread_pool AS stored SELECT * FROM given WHERE EXISTS (SELECT FROM writer)
    ON CONFLICT (chain_id, pool) DO UPDATE SET place = excluded.place
      WHERE stored.place IS DISTINCT FROM excluded.place`
}

export async function addUnreadPools(
  tx: Db,
  chainId: number,
  pools: readonly PoolAddress[],
  place: typeof FOUND | null,
): Promise<void> {
  if (pools.length === 0) return
  await tx.$executeRaw`
    INSERT INTO unread_pool (chain_id, pool, place)
    SELECT ${chainId}::int, pool, ${place}::int FROM (${byteaList(pools)}) AS added (pool)
    ORDER BY pool ON CONFLICT DO NOTHING`
}

/** Marks quoted pools as unread, because the network's writer may be another process. */
export async function insertFoundPools(tx: Db, chainId: number, pools: readonly Pool[]): Promise<void> {
  const added = new Set(await insertPools(tx, chainId, pools))
  const quoted = pools.filter((pool) => added.has(pool.address) && stateReadingOf(pool) !== null)
  const addresses = quoted.map(({ address }) => address)
  await addUnreadPools(tx, chainId, addresses, FOUND)
}

export async function readFoundPools(db: Db, chainId: number): Promise<PoolAddress[]> {
  const rows = await db.$queryRaw<{ pool: string }[]>`
    SELECT pool::text FROM unread_pool WHERE chain_id = ${chainId} AND place = ${FOUND}`
  return rows.map(({ pool }) => hexOf(pool))
}

export const UNREAD_COUNTS = Prisma.sql`
  SELECT chain_id, count(*)::int AS pools, min(place) AS first FROM unread_pool WHERE place > ${FOUND} GROUP BY 1`
export type UnreadCount = { chain_id: number; pools: number; first: number }

export async function readUnreadPools(db: Db, chainId: number): Promise<PoolRow[]> {
  const query = Prisma.sql`SELECT pool.* FROM (
      SELECT pool FROM unread_pool WHERE chain_id = ${chainId}
      UNION SELECT pool FROM (${invalidatedPools(chainId)}) AS invalidated
    ) AS unread JOIN pool ON pool.chain_id = ${chainId} AND pool.address = unread.pool`
  return (await readRows<Stored<PoolModel>>(db, query)).map(toPool)
}
