import type { Db } from '../database/transaction.ts'

// By audit_pkey.

/** Up to which block a network's final blocks were audited; null before the first. */
export async function readAudited(db: Db, chainId: number): Promise<number | null> {
  const row = await db.audit.findUnique({ where: { chainId } })
  return row && Number(row.number)
}

export async function writeAudited(db: Db, chainId: number, number: number): Promise<void> {
  await db.audit.upsert({ where: { chainId }, create: { chainId, number }, update: { number } })
}

/** Final blocks above this one are no longer those that were audited. */
export async function lowerAudited(tx: Db, chainId: number, number: number): Promise<void> {
  await tx.audit.updateMany({ where: { chainId, number: { gt: number } }, data: { number } })
}
