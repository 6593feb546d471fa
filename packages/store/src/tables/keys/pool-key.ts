import type { PoolAddress, PoolKey } from '@dexfeed/dex'
import type { Db } from '../../database/transaction.ts'
import { Prisma, type PoolKey as Row } from '../../generated/client.ts'
import { byteaList, byteaText, hexOf, json, readRows, type Stored } from '../../stored.ts'

// A row takes about 280 bytes including its index entry.

export async function readPoolKeys(
  db: Db,
  chainId: number,
  pools: readonly PoolAddress[],
): Promise<Map<PoolAddress, PoolKey>> {
  const query = Prisma.sql`
    SELECT * FROM pool_key WHERE chain_id = ${chainId} AND pool IN (${byteaList(pools)})`
  return new Map((await readRows<Stored<Row>>(db, query)).map((row) => [hexOf(row.pool), toKey(row)]))
}

export async function insertPoolKeys(
  tx: Db,
  chainId: number,
  keys: readonly (readonly [PoolAddress, PoolKey])[],
): Promise<void> {
  if (keys.length === 0) return
  await tx.$executeRaw`
    INSERT INTO pool_key SELECT * FROM json_populate_recordset(NULL::pool_key,
      ${json(keys.map(([pool, key]) => toRow(chainId, pool, key)))})
    ORDER BY pool ON CONFLICT DO NOTHING`
}

function toKey({ currency0, currency1, fee, tick_spacing, hooks, parameters }: Stored<Row>): PoolKey {
  return {
    currency0: hexOf(currency0),
    currency1: hexOf(currency1),
    fee,
    tickSpacing: tick_spacing,
    hooks: hexOf(hooks),
    ...(parameters !== null && { parameters: hexOf(parameters) }),
  }
}

function toRow(chainId: number, pool: PoolAddress, key: PoolKey): Stored<Row> {
  return {
    chain_id: chainId,
    pool: byteaText(pool),
    currency0: byteaText(key.currency0),
    currency1: byteaText(key.currency1),
    fee: key.fee,
    tick_spacing: key.tickSpacing,
    hooks: byteaText(key.hooks),
    parameters: key.parameters === undefined ? null : byteaText(key.parameters),
  }
}
