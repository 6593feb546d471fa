import type { PoolAddress } from '@dexfeed/dex'
import type { Db } from '../database/transaction.ts'
import { bytesOf, bytesToHex } from '../stored.ts'

export async function readAudited(db: Db, chainId: number): Promise<number | null> {
  const row = await db.audit.findUnique({ where: { chainId } })
  return row && Number(row.number)
}

export async function writeAudited(db: Db, chainId: number, number: number): Promise<void> {
  await db.audit.upsert({ where: { chainId }, create: { chainId, number }, update: { number } })
}

/** Call this after the final blocks above `number` were replaced. */
export async function lowerAudited(tx: Db, chainId: number, number: number): Promise<void> {
  await tx.audit.updateMany({ where: { chainId, number: { gt: number } }, data: { number } })
}

export async function readCheckedPool(db: Db, chainId: number): Promise<PoolAddress | null> {
  const row = await db.poolCheck.findUnique({ where: { chainId } })
  return row && bytesToHex(row.pool)
}

export async function writeCheckedPool(db: Db, chainId: number, pool: PoolAddress | null): Promise<void> {
  if (pool === null) await db.poolCheck.deleteMany({ where: { chainId } })
  else {
    const row = { pool: bytesOf(pool) }
    await db.poolCheck.upsert({ where: { chainId }, create: { chainId, ...row }, update: row })
  }
}
