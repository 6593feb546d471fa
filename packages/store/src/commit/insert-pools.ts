import type { Pool } from '@dexfeed/dex'
import type { ClientBase } from 'pg'
import { digitsOf } from '../hex.ts'

/** Writes the pools that are not known yet, in address order, so that two commits never wait for each other. */
export async function insertPools(tx: ClientBase, chainId: number, pools: readonly Pool[]): Promise<void> {
  if (pools.length === 0) return
  await tx.query(
    `INSERT INTO pool (chain_id, address, dex, factory, token0, token1, fee, tick_spacing)
     SELECT $1, decode(address, 'hex'), dex, decode(factory, 'hex'), decode(token0, 'hex'), decode(token1, 'hex'),
       fee, tick_spacing
     FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::int[], $8::int[])
       AS new (address, dex, factory, token0, token1, fee, tick_spacing)
     ORDER BY address
     ON CONFLICT DO NOTHING`,
    [
      chainId,
      pools.map(({ address }) => digitsOf(address)),
      pools.map(({ dex }) => dex.name),
      pools.map(({ dex }) => digitsOf(dex.factory)),
      pools.map(({ token0 }) => digitsOf(token0)),
      pools.map(({ token1 }) => digitsOf(token1)),
      pools.map(({ fee }) => fee),
      pools.map(({ tickSpacing }) => tickSpacing),
    ],
  )
}
