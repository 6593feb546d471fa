import type { Address } from '@dexfeed/dex'
import type { Pool } from 'pg'
import { hexOf } from '../hex.ts'

/** A stored pool; its DEX by name and factory. */
export interface PoolRow {
  address: Address
  dex: string
  factory: Address
  token0: Address
  token1: Address
  /** Millionths. */
  fee: number
  tickSpacing: number | null
  coins?: readonly Address[]
  underlying?: readonly Address[]
  hooks?: Address
}

interface Row extends Omit<PoolRow, 'coins' | 'underlying' | 'hooks'> {
  coins: string[] | null
  underlying: string[] | null
  hooks: string | null
}

/** All pools of a network that were ever seen. */
export async function loadPools(pool: Pool, chainId: number): Promise<PoolRow[]> {
  const { rows } = await pool.query<Row>(
    `SELECT encode(address, 'hex') AS address, dex, encode(factory, 'hex') AS factory,
       encode(token0, 'hex') AS token0, encode(token1, 'hex') AS token1, fee, tick_spacing AS "tickSpacing",
       (SELECT array_agg(encode(coin, 'hex') ORDER BY at) FROM unnest(coins) WITH ORDINALITY AS all_coins (coin, at))
         AS coins,
       (SELECT array_agg(encode(coin, 'hex') ORDER BY at) FROM unnest(underlying) WITH ORDINALITY AS all_coins (coin, at))
         AS underlying,
       encode(hooks, 'hex') AS hooks
     FROM pool WHERE chain_id = $1`,
    [chainId],
  )
  return rows.map(({ coins, underlying, hooks, ...row }) => ({
    ...row,
    ...(coins === null ? {} : { coins: coins.map(hexOf) }),
    ...(underlying === null ? {} : { underlying: underlying.map(hexOf) }),
    ...(hooks === null ? {} : { hooks: hexOf(hooks) }),
    address: hexOf(row.address),
    factory: hexOf(row.factory),
    token0: hexOf(row.token0),
    token1: hexOf(row.token1),
  }))
}
