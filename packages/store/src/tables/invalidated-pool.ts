// The table has few rows or none. A pool that was read again stays in it until that read is final.
import type { PoolAddress } from '@dexfeed/dex'
import type { Db } from '../database/transaction.ts'
import { type InvalidatedPool as InvalidatedModel, Prisma } from '../generated/client.ts'
import { byteaText, hexOf, json, readRows, type Stored } from '../stored.ts'

type Row = Stored<InvalidatedModel>

export interface InvalidatedPool {
  pool: PoolAddress
  blockNumber: number
}

export type InvalidatedRow = Pick<Row, 'pool' | 'block_number'>

export function toInvalidated({ pool, block_number }: InvalidatedRow): InvalidatedPool {
  return { pool: hexOf(pool), blockNumber: Number(block_number) }
}

export function invalidatedPools(chainId: number): Prisma.Sql {
  return Prisma.sql`SELECT pool, block_number FROM invalidated_pool
    WHERE chain_id = ${chainId} AND trusted_from IS NULL`
}

/** Selects the pools whose state at a block was not valid. */
export function invalidatedPoolsAt(chainId: number, block: number): Prisma.Sql {
  return Prisma.sql`SELECT pool FROM invalidated_pool
    WHERE chain_id = ${chainId} AND coalesce(trusted_from > ${block}, true)`
}

export async function readInvalidated(db: Db, chainId: number): Promise<InvalidatedPool[]> {
  return (await readRows<InvalidatedRow>(db, invalidatedPools(chainId))).map(toInvalidated)
}

/** Writes in address order. If a pool was found wrong at several blocks, the latest counts. */
export async function writeInvalidated(tx: Db, chainId: number, pools: readonly InvalidatedPool[]): Promise<void> {
  if (pools.length === 0) return
  const newest = new Map<PoolAddress, number>()
  for (const { pool, blockNumber } of pools) newest.set(pool, Math.max(blockNumber, newest.get(pool) ?? blockNumber))
  const rows = [...newest].map(
    ([pool, block]): Row => ({ chain_id: chainId, pool: byteaText(pool), block_number: block, trusted_from: null }),
  )
  await tx.$executeRaw`
    INSERT INTO invalidated_pool AS stored
    SELECT * FROM json_populate_recordset(NULL::invalidated_pool, ${json(rows)}) ORDER BY pool
    ON CONFLICT (chain_id, pool) DO UPDATE SET trusted_from = NULL,
      block_number = greatest(stored.block_number, excluded.block_number)`
}

export interface TrustedPool {
  pool: PoolAddress
  readAt: number
  blockNumber: number
}

/** Leaves out pools that were found wrong at block `readAt` or later. */
export async function trustPools(tx: Db, chainId: number, pools: readonly TrustedPool[]): Promise<void> {
  const rows = pools.map(({ pool, readAt, blockNumber }): Omit<Row, 'chain_id'> => {
    return { pool: byteaText(pool), block_number: readAt, trusted_from: blockNumber }
  })
  await tx.$executeRaw`
    UPDATE invalidated_pool AS stored SET trusted_from = read.trusted_from
    FROM json_populate_recordset(NULL::invalidated_pool, ${json(rows)}) AS read
    WHERE stored.chain_id = ${chainId} AND stored.pool = read.pool AND stored.block_number < read.block_number`
}

export async function distrustAbove(tx: Db, chainId: number, ancestor: number): Promise<void> {
  await tx.invalidatedPool.updateMany({
    where: { chainId, trustedFrom: { gt: ancestor } },
    data: { trustedFrom: null },
  })
}

export async function pruneInvalidated(db: Db, chainId: number, final: number): Promise<void> {
  await db.invalidatedPool.deleteMany({ where: { chainId, trustedFrom: { lte: final } } })
}

export async function forgetInvalidated(tx: Db, chainId: number): Promise<void> {
  await tx.invalidatedPool.deleteMany({ where: { chainId } })
}
