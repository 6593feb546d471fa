import type { BlockHeader } from '@dexfeed/dex'
import type { Db } from '../database/transaction.ts'
import type { Block } from '../generated/client.ts'
import { bytesOf, bytesToHex, secondsOf, timeOf } from '../stored.ts'

// Every statement here goes by block_pkey.

function toHeader({ number, hash, parentHash, blockTime }: Block): BlockHeader {
  return {
    number: Number(number),
    hash: bytesToHex(hash),
    parentHash: bytesToHex(parentHash),
    timestamp: secondsOf(blockTime),
  }
}

/** Stored headers of a network, ascending. */
export async function readBlocks(db: Db, chainId: number): Promise<BlockHeader[]> {
  return (await db.block.findMany({ where: { chainId }, orderBy: { number: 'asc' } })).map(toHeader)
}

export async function readBlock(db: Db, chainId: number, number: number): Promise<BlockHeader | null> {
  const row = await db.block.findUnique({ where: { chainId_number: { chainId, number } } })
  return row && toHeader(row)
}

/** Writes headers of reorgable blocks. One that is stored already stays. */
export async function insertBlocks(tx: Db, chainId: number, blocks: readonly BlockHeader[]): Promise<void> {
  if (blocks.length === 0) return
  const data = blocks.map(({ number, hash, parentHash, timestamp }) => ({
    ...{ chainId, number, hash: bytesOf(hash), parentHash: bytesOf(parentHash), blockTime: timeOf(timestamp) },
  }))
  await tx.block.createMany({ data, skipDuplicates: true })
}

export async function deleteBlocks(tx: Db, chainId: number, number: { gt?: number; lt?: number } = {}): Promise<void> {
  await tx.block.deleteMany({ where: { chainId, number } })
}
