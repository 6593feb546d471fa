import type { BlockHeader } from '@dexfeed/dex'
import type { ClientBase } from 'pg'
import { digitsOf } from '../hex.ts'

/** Writes headers of reorgable blocks. One that is stored already stays. */
export async function insertBlocks(tx: ClientBase, chainId: number, blocks: readonly BlockHeader[]): Promise<void> {
  if (blocks.length === 0) return
  await tx.query(
    `INSERT INTO block (chain_id, number, hash, parent_hash, block_time)
     SELECT $1, number, decode(hash, 'hex'), decode(parent_hash, 'hex'), to_timestamp(time)
     FROM unnest($2::bigint[], $3::text[], $4::text[], $5::bigint[]) AS new (number, hash, parent_hash, time)
     ON CONFLICT DO NOTHING`,
    [
      chainId,
      blocks.map(({ number }) => number),
      blocks.map(({ hash }) => digitsOf(hash)),
      blocks.map(({ parentHash }) => digitsOf(parentHash)),
      blocks.map(({ timestamp }) => timestamp),
    ],
  )
}
