// A row belongs to its block: it is written when the block is covered, and leaves with it.
import type { BlockRange, PoolAddress, PoolCreation } from '@dexfeed/dex'
import type { Db } from '../database/transaction.ts'
import { type PoolCreation as Model, type Pool as PoolModel, Prisma } from '../generated/client.ts'
import { byteaList, byteaText, hexOf, json, readRows, type Stored, secondsOf, timeOf } from '../stored.ts'
import { type PoolRow, toPool } from './pool.ts'

export type CreationRow = Stored<Model>

export function toCreation(row: CreationRow): PoolCreation {
  return {
    pool: hexOf(row.pool),
    blockNumber: Number(row.block_number),
    timestamp: secondsOf(row.block_time),
    transactionIndex: row.transaction_index,
    txHash: hexOf(row.tx_hash),
    creator: row.creator === null ? null : hexOf(row.creator),
  }
}

function toRow(chainId: number, creation: PoolCreation): CreationRow {
  const { pool, blockNumber, timestamp, transactionIndex, txHash, creator } = creation
  return {
    chain_id: chainId,
    pool: byteaText(pool),
    block_number: blockNumber,
    block_time: timeOf(timestamp).toISOString(),
    transaction_index: transactionIndex,
    tx_hash: byteaText(txHash),
    creator: creator && byteaText(creator),
  }
}

/** Inserts in the order of the pools. If a pool was created more than once, the first block counts. */
export async function insertCreations(tx: Db, chainId: number, creations: readonly PoolCreation[]): Promise<void> {
  if (creations.length === 0) return
  await tx.$executeRaw`
    INSERT INTO pool_creation AS stored SELECT DISTINCT ON (pool) *
    FROM json_populate_recordset(NULL::pool_creation, ${json(creations.map((each) => toRow(chainId, each)))})
    ORDER BY pool, block_number, transaction_index
    ON CONFLICT (chain_id, pool) DO UPDATE SET block_number = excluded.block_number, block_time = excluded.block_time,
      transaction_index = excluded.transaction_index, tx_hash = excluded.tx_hash, creator = excluded.creator
      WHERE excluded.block_number < stored.block_number`
}

/** Deletes with pool_creation_block_idx. Returns the pools. */
export async function deleteCreations(
  tx: Db,
  chainId: number,
  { from, to }: { from: number; to?: number },
): Promise<PoolAddress[]> {
  const upTo = to === undefined ? Prisma.empty : Prisma.sql`AND block_number <= ${to}`
  const rows = await tx.$queryRaw<{ pool: string }[]>`
    DELETE FROM pool_creation WHERE chain_id = ${chainId} AND block_number >= ${from} ${upTo} RETURNING pool::text`
  return rows.map(({ pool }) => hexOf(pool))
}

/** Reads with pool_creation_block_idx, in the order of the chain. */
export async function readCreationsIn(db: Db, chainId: number, { from, to }: BlockRange): Promise<PoolCreation[]> {
  const query = Prisma.sql`SELECT * FROM pool_creation
    WHERE chain_id = ${chainId} AND block_number BETWEEN ${from} AND ${to}
    ORDER BY block_number, transaction_index, pool`
  return (await readRows<CreationRow>(db, query)).map(toCreation)
}

/** Reads with pool_creation_block_idx. */
export async function readPoolsCreatedAbove(db: Db, chainId: number, block: number): Promise<PoolAddress[]> {
  const rows = await db.$queryRaw<{ pool: string }[]>`
    SELECT pool::text FROM pool_creation WHERE chain_id = ${chainId} AND block_number > ${block}`
  return rows.map(({ pool }) => hexOf(pool))
}

/** Looks each pool up in pool_creation_pkey. */
export function creationsOf(chainId: number, pools: readonly PoolAddress[]): Prisma.Sql {
  return Prisma.sql`SELECT * FROM pool_creation WHERE chain_id = ${chainId} AND pool IN (${byteaList(pools)})`
}

export async function readCreations(
  db: Db,
  chainId: number,
  pools: readonly PoolAddress[],
): Promise<ReadonlyMap<PoolAddress, PoolCreation>> {
  const rows = await readRows<CreationRow>(db, creationsOf(chainId, pools))
  return new Map(rows.map(toCreation).map((creation) => [creation.pool, creation]))
}

export interface CreatedPool extends PoolRow {
  creation: PoolCreation
}

/** Reads with pool_creation_block_idx and pool_pkey, in the order of the chain. */
export async function readCreatedPools(
  db: Db,
  chainId: number,
  { from, to }: BlockRange,
  limit: number,
): Promise<CreatedPool[]> {
  const query = Prisma.sql`SELECT pool_creation.*, pool.* FROM pool_creation
    JOIN pool ON pool.chain_id = pool_creation.chain_id AND pool.address = pool_creation.pool
    WHERE pool_creation.chain_id = ${chainId} AND block_number BETWEEN ${from} AND ${to}
    ORDER BY block_number, transaction_index, pool_creation.pool LIMIT ${limit}`
  const rows = await readRows<CreationRow & Stored<PoolModel>>(db, query)
  return rows.map((row) => ({ ...toPool(row), creation: toCreation(row) }))
}
