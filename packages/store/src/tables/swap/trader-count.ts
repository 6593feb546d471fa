import { type Address, dayOf, NETWORKS, type NetworkName, type PoolAddress, ZERO_ADDRESS } from '@dexfeed/dex'
import { Prisma } from '../../generated/client.ts'
import { byteaText, bytesOf, json } from '../../stored.ts'
import { blockOfTime, withinDays } from './blocks-of-times.ts'
import { keyOf, poolKey } from './pool-key.ts'
import { HOPS } from './swap-hop.ts'

/** With more trades, traders are not counted, because all rows of these would be read. */
export const MAX_COUNTED = 200_000

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

/** A statement's requests are all of pools, or all of tokens in all pools. */
export interface TradersWanted {
  /** Index of the request. */
  n: number
  pool?: PoolAddress
  /** Whose buyers and sellers are counted. */
  token: Address
  /** In seconds. */
  since: number
}

export interface TradersRow {
  n: number
  /** Buyers, sellers and all traders since each of the times. */
  counts: [number, number, number][]
}

interface CountedSpan {
  /** In seconds. */
  times: readonly number[]
  to: number
  head: number
}

const isOfPools = (wanted: readonly TradersWanted[]) => wanted[0]?.pool !== undefined

function requestedRows(wanted: readonly TradersWanted[]): Prisma.Sql {
  const rows = wanted.map(({ n, pool, token, since }) => {
    return { n, key: pool === undefined ? null : poolKey(pool), token: byteaText(token), since }
  })
  return Prisma.sql`json_to_recordset(${json(rows)}) AS requested (n int, key bigint, token bytea, since bigint)`
}

function daysOf(wanted: readonly TradersWanted[], to: number): number[] {
  return [...wanted.map(({ since }) => dayOf(since)), dayOf(to)]
}

/** Selects hops with the signers of their transactions, planned only for the partitions of some days. */
function signedHops(condition: Prisma.Sql, days: readonly number[]): Prisma.Sql {
  const ofDays = withinDays(days)
  return Prisma.sql`
    SELECT pool_key, trader, block_time, sell_token AS token_in, buy_token AS token_out FROM swap
    WHERE hop_log_index IS NOT NULL AND ${condition} AND ${ofDays}
    UNION ALL
    SELECT pool_key, trade.trader, block_time, token_in, token_out FROM swap_hop
    CROSS JOIN LATERAL (
      SELECT trader FROM swap AS trade WHERE trade.chain_id = swap_hop.chain_id AND trade.block_time = swap_hop.block_time
        AND trade.block_number = swap_hop.block_number AND trade.transaction_index = swap_hop.transaction_index
        AND trade.position = swap_hop.position AND ${ofDays} OFFSET 0) AS trade
    WHERE ${condition} AND ${ofDays}`
}

/** Counts each signer by his last hops. A hop buys the token that it pays out. */
function countedSince(hops: Prisma.Sql, times: readonly number[]): Prisma.Sql {
  const counts = times.flatMap((time) =>
    ['bought', 'sold', 'traded'].map(
      (last) => Prisma.sql`count(*) FILTER (WHERE ${Prisma.raw(last)} >= to_timestamp(${time}))`,
    ),
  )
  const ofTimes = times.map((_, at) => Prisma.sql`json_build_array(${Prisma.join(counts.slice(3 * at, 3 * at + 3))})`)
  return Prisma.sql`
    SELECT n, json_build_array(${Prisma.join(ofTimes)}) AS counts
    FROM (
      SELECT n, max(block_time) FILTER (WHERE token_out = token) AS bought,
        max(block_time) FILTER (WHERE token_in = token AND token_out <> token) AS sold, max(block_time) AS traded
      FROM (${hops}) AS hop WHERE trader IS NOT NULL GROUP BY n, trader
    ) AS signer GROUP BY n`
}

/** The pools of the requested tokens, with pool_token0_idx, pool_token1_idx and pool_coins_idx. */
function poolsOfTokens(chainId: number, wanted: readonly TradersWanted[]): Prisma.Sql {
  const coin = `decode('${ZERO_ADDRESS.slice(2)}', 'hex')`
  // Hops in pools of the coin name its wrapper.
  const conditions = [
    'token0 = token',
    'token1 = token',
    `is_coin AND token0 = ${coin}`,
    `is_coin AND token1 = ${coin}`,
  ]
  const pools = conditions.map(
    (condition) =>
      Prisma.sql`SELECT ${keyOf('address')} FROM pool WHERE chain_id = ${chainId} AND ${Prisma.raw(condition)}`,
  )
  return Prisma.sql`
    WITH requested AS MATERIALIZED (
      SELECT *, token = (SELECT wrapped_native FROM network WHERE chain_id = ${chainId}) AS is_coin
      FROM ${requestedRows(wanted)}
    )
    SELECT n, token, since, pool.key FROM requested CROSS JOIN LATERAL (${Prisma.join(pools, ' UNION ALL ')}) AS pool (key)
    UNION SELECT n, token, since, ${keyOf('address')} FROM pool
    CROSS JOIN LATERAL unnest(coins || underlying) AS coin
    JOIN requested ON coin = token OR is_coin AND coin = ${Prisma.raw(coin)}
    WHERE chain_id = ${chainId} AND cardinality(coins) + cardinality(underlying) > 0`
}

/** Reads all hops of the pools, or of all pools of the tokens, with swap_pool_idx and swap_hop_pool_idx. */
export function tradersByPools(
  chainId: number,
  wanted: readonly TradersWanted[],
  { times, to, head }: CountedSpan,
): Prisma.Sql {
  const isPools = isOfPools(wanted)
  const requested = isPools
    ? requestedRows(wanted)
    : Prisma.sql`(${poolsOfTokens(chainId, wanted)}) AS requested (n, token, since, key)`
  const isOf = Prisma.sql`chain_id = ${chainId} AND pool_key = requested.key AND block_number <= ${head}::bigint
    AND block_time >= to_timestamp(requested.since) AND block_time < to_timestamp(${to})`
  const hops = Prisma.sql`
    SELECT n, token, hop.* FROM ${requested} CROSS JOIN LATERAL (${signedHops(isOf, daysOf(wanted, to))}) AS hop
    ${isPools ? Prisma.empty : Prisma.sql`WHERE token IN (token_in, token_out)`}`
  return countedSince(hops, times)
}

/** Reads all hops of the network since the first time, by the primary keys: for pools and tokens with many of them. */
export function tradersByBlocks(
  network: NetworkName,
  wanted: readonly TradersWanted[],
  { times, to, head }: CountedSpan,
): Prisma.Sql {
  const first = Math.min(...wanted.map(({ since }) => since))
  const isOf = Prisma.sql`chain_id = ${NETWORKS[network].chainId}
    AND block_number BETWEEN coalesce(${blockOfTime(network, first, 'since')}, 0) AND ${head}::bigint
    AND block_time >= to_timestamp(${first}) AND block_time < to_timestamp(${to})`
  const isRequested = isOfPools(wanted)
    ? Prisma.sql`JOIN ${requestedRows(wanted)} ON key = pool_key`
    : Prisma.sql`CROSS JOIN LATERAL (VALUES (token_in), (token_out)) AS side (token)
      JOIN ${requestedRows(wanted)} USING (token)`
  const hops = Prisma.sql`
    SELECT n, token, hop.* FROM (${signedHops(isOf, daysOf(wanted, to))}) AS hop ${isRequested} WHERE block_time >= to_timestamp(since)`
  return countedSince(hops, times)
}
