import type { Address, PoolAddress } from '@dexfeed/dex'
import { Prisma } from '../../generated/client.ts'
import { bytesOf } from '../../stored.ts'
import { keyOf, poolKey } from './pool-key.ts'
import { HOPS } from './swap-hop.ts'

/** Trades through a protocol or pool, or with a hop of a token; null for all trades of the network. */
export type TradesOf = { protocol: string } | { pool: PoolAddress } | { token: Address } | null

/** Reads all rows of the span, so it is for spans with few trades. */
export function countTraders(
  chainId: number,
  of: TradesOf,
  seconds: number,
  { from, to }: { from: number; to: number },
): Prisma.Sql {
  const inSpan = Prisma.sql`chain_id = ${chainId}
    AND block_time >= to_timestamp(${from}) AND block_time < to_timestamp(${to})`
  const place = Prisma.raw('block_number, transaction_index, position, block_time')
  const among =
    of === null
      ? Prisma.empty
      : Prisma.sql`AND (${place}) IN (SELECT ${place} FROM ${HOPS} AS hop WHERE ${inSpan} AND ${isOf(chainId, of)})`
  return Prisma.sql`
    SELECT floor(extract(epoch FROM block_time) / ${seconds}::int)::float8 * ${seconds}::int AS time,
      count(DISTINCT trader)::float8 AS traders
    FROM swap WHERE ${inSpan} ${among} GROUP BY 1`
}

function isOf(chainId: number, of: NonNullable<TradesOf>): Prisma.Sql {
  if ('pool' in of) return Prisma.sql`pool_key = ${poolKey(of.pool)}::bigint`
  if ('token' in of) return Prisma.sql`${bytesOf(of.token)} IN (token_in, token_out)`
  return Prisma.sql`pool_key IN (SELECT ${keyOf('address')} FROM pool WHERE chain_id = ${chainId} AND dex = ${of.protocol})`
}
