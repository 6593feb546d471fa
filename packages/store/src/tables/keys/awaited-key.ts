import type { BlockRange, PoolAddress } from '@dexfeed/dex'
import type { Db } from '../../database/transaction.ts'
import { type AwaitedKey, Prisma } from '../../generated/client.ts'
import { byteaText, json, readRows, type Stored, secondsOf } from '../../stored.ts'

export interface AwaitingBlock {
  number: number
  pools: readonly PoolAddress[]
}

export async function insertAwaitedKeys(tx: Db, chainId: number, blocks: readonly AwaitingBlock[]): Promise<void> {
  const rows = blocks.flatMap(({ number, pools }) =>
    pools.map((pool): Omit<Stored<AwaitedKey>, 'since'> => {
      return { chain_id: chainId, pool: byteaText(pool), block_number: number }
    }),
  )
  if (rows.length === 0) return
  await tx.$executeRaw`
    INSERT INTO awaited_key (chain_id, pool, block_number, since)
    SELECT chain_id, pool, block_number, coalesce((SELECT min(stored.since) FROM awaited_key AS stored
      WHERE stored.chain_id = added.chain_id AND stored.pool = added.pool), now())
    FROM json_populate_recordset(NULL::awaited_key, ${json(rows)}) AS added
    ON CONFLICT DO NOTHING`
}

/** Call this for blocks that have been stored, were orphaned or are no longer kept. */
export async function deleteAwaitedKeys(db: Db, chainId: number, { from, to }: BlockRange): Promise<void> {
  await db.awaitedKey.deleteMany({ where: { chainId, blockNumber: { gte: from, lte: to } } })
}

export interface AwaitedKeys {
  chainId: number
  /** Ascending; `since` (seconds since 1970) is when the first key of the block was awaited. */
  blocks: { number: number; since: number }[]
  pools: number
}

export async function readAwaitedKeys(db: Db): Promise<AwaitedKeys[]> {
  const rows = await readRows<{ chain_id: number; pools: number; blocks: [number, string][] }>(
    db,
    Prisma.sql`
      SELECT chain_id, (SELECT count(DISTINCT pool)::int FROM awaited_key AS one WHERE one.chain_id = block.chain_id)
        AS pools, json_agg(json_build_array(block_number, since) ORDER BY block_number) AS blocks
      FROM (SELECT chain_id, block_number, min(since) AS since FROM awaited_key GROUP BY 1, 2) AS block GROUP BY 1`,
  )
  return rows.map(({ chain_id, pools, blocks }) => ({
    chainId: chain_id,
    pools,
    blocks: blocks.map(([number, since]) => ({ number, since: secondsOf(since) })),
  }))
}
