import type { BlockHeader } from '@dexfeed/dex'
import type { Db } from '../database/transaction.ts'
import { type Block, Prisma } from '../generated/client.ts'
import { byteaText, bytesToHex, json, type Stored, secondsOf, timeOf } from '../stored.ts'

function toHeader({ number, hash, parentHash, blockTime }: Block): BlockHeader {
  return {
    number: Number(number),
    hash: bytesToHex(hash),
    parentHash: bytesToHex(parentHash),
    timestamp: secondsOf(blockTime),
  }
}

export async function readBlocks(db: Db, chainId: number): Promise<BlockHeader[]> {
  return (await db.block.findMany({ where: { chainId }, orderBy: { number: 'asc' } })).map(toHeader)
}

export async function readBlock(db: Db, chainId: number, number: number): Promise<BlockHeader | null> {
  const row = await db.block.findUnique({ where: { chainId_number: { chainId, number } } })
  return row && toHeader(row)
}

export function movedBlocks(chainId: number, blocks: readonly BlockHeader[], finalNumber: number): Prisma.Sql {
  const rows = blocks.map(
    ({ number, hash, parentHash, timestamp }): Stored<Block> => ({
      chain_id: chainId,
      number,
      hash: byteaText(hash),
      parent_hash: byteaText(parentHash),
      block_time: timeOf(timestamp).toISOString(),
    }),
  )
  return Prisma.sql`final AS (DELETE FROM block WHERE chain_id = ${chainId} AND number < ${finalNumber}), reorgable AS (
    INSERT INTO block SELECT * FROM json_populate_recordset(NULL::block, ${json(rows)}) AS added
    WHERE added.number >= ${finalNumber} ON CONFLICT DO NOTHING)`
}

export async function deleteBlocks(tx: Db, chainId: number, above = -1): Promise<void> {
  await tx.block.deleteMany({ where: { chainId, number: { gt: above } } })
}
