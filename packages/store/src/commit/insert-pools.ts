import type { Address, Pool } from '@dexfeed/dex'
import type { ClientBase } from 'pg'
import { byteaText, digitsOf } from '../hex.ts'

/** Writes the pools that are not known yet, in address order, so that two commits never wait for each other. */
export async function insertPools(tx: ClientBase, chainId: number, pools: readonly Pool[]): Promise<void> {
  if (pools.length === 0) return
  await tx.query(
    `INSERT INTO pool (chain_id, address, dex, factory, token0, token1, fee, tick_spacing, coins, underlying,
       hooks)
     SELECT $1, decode(address, 'hex'), dex, decode(factory, 'hex'), decode(token0, 'hex'), decode(token1, 'hex'),
       fee, tick_spacing, coins::bytea[], underlying::bytea[], hooks::bytea
     FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::int[], $8::int[], $9::text[],
         $10::text[], $11::text[])
       AS new (address, dex, factory, token0, token1, fee, tick_spacing, coins, underlying, hooks)
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
      pools.map(({ coins }) => byteaArray(coins)),
      pools.map(({ underlying }) => byteaArray(underlying)),
      pools.map(({ hooks }) => (hooks === undefined ? null : byteaText(hooks))),
    ],
  )
}

/** A list of addresses as the text of a bytea[]. */
function byteaArray(addresses: readonly Address[] = []): string {
  return `{${addresses.map((address) => `"\\\\${byteaText(address).slice(1)}"`).join(',')}}`
}
