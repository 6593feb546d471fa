import type { BlockRange, PoolAddress } from '@dexfeed/dex'
import type { Db } from '../../database/transaction.ts'
import type { UnconfirmedDenial as Row } from '../../generated/client.ts'
import { byteaText, bytesToHex, json, type Stored } from '../../stored.ts'

/**
 * Blocks stored without the trades of an emitter, because one endpoint reported that it is not a pool. No other
 * endpoint has confirmed this yet.
 */
export interface UnconfirmedDenial extends BlockRange {
  emitter: PoolAddress
}

export async function insertUnconfirmedDenials(
  tx: Db,
  chainId: number,
  denials: readonly UnconfirmedDenial[],
): Promise<void> {
  if (denials.length === 0) return
  const rows = denials.map((unconfirmedDenial) => toRow(chainId, unconfirmedDenial))
  await tx.$executeRaw`
    INSERT INTO unconfirmed_denial SELECT * FROM json_populate_recordset(NULL::unconfirmed_denial, ${json(rows)})
    ORDER BY emitter ON CONFLICT (chain_id, emitter, from_block) DO UPDATE
      SET to_block = greatest(unconfirmed_denial.to_block, excluded.to_block)`
}

export async function readUnconfirmedDenials(db: Db, chainId: number, final: number): Promise<UnconfirmedDenial[]> {
  const where = { chainId, toBlock: { lte: final } }
  const rows = await db.unconfirmedDenial.findMany({ where, orderBy: { fromBlock: 'asc' } })
  return rows.map(({ emitter, fromBlock, toBlock }) => {
    return { emitter: bytesToHex(emitter), from: Number(fromBlock), to: Number(toBlock) }
  })
}

export async function deleteDenialsIn(db: Db, chainId: number, { from, to }: BlockRange): Promise<void> {
  await db.unconfirmedDenial.deleteMany({ where: { chainId, fromBlock: { gte: from }, toBlock: { lte: to } } })
}

export async function deleteUnconfirmedDenials(
  db: Db,
  chainId: number,
  denials: readonly UnconfirmedDenial[],
): Promise<void> {
  if (denials.length === 0) return
  await db.$executeRaw`
    DELETE FROM unconfirmed_denial AS stored
    USING json_populate_recordset(NULL::unconfirmed_denial, ${json(denials.map((unconfirmedDenial) => toRow(chainId, unconfirmedDenial)))}) AS settled
    WHERE (stored.chain_id, stored.emitter, stored.from_block, stored.to_block)
      = (settled.chain_id, settled.emitter, settled.from_block, settled.to_block)`
}

function toRow(chainId: number, { emitter, from, to }: UnconfirmedDenial): Stored<Row> {
  return { chain_id: chainId, emitter: byteaText(emitter), from_block: from, to_block: to }
}
