import {
  type Address,
  type BlockRange,
  HOP_FLAGS,
  hopFlags,
  type PoolAddress,
  type PricedTrade,
  usdText,
} from '@dexfeed/dex'
import type { ClientBase } from 'pg'
import type { Db } from '../../database/transaction.ts'
import { Prisma, type SwapHop } from '../../generated/client.ts'
import { byteaText, hexOf, inBlocks, json, readRows, type Stored, timeTexts } from '../../stored.ts'
import { isOfKeptDay } from '../kept-days.ts'
import { copiedBytea, copyRows, NULL } from './copy-rows.ts'
import { keyOf, poolKey } from './pool-key.ts'
import type { SwapPlace } from './swap-list.ts'

// swap_hop has a row per hop, in a partition per UTC day (day-partition.ts). If a trade has one hop with the same
// values, the trade's row holds the hop instead.

const COLUMNS = [
  ...(['chain_id', 'block_number', 'transaction_index', 'log_index', 'position', 'block_time', 'pool_key'] as const),
  ...(['token_in', 'amount_in', 'token_out', 'amount_out', 'volume_usd', 'flags'] as const),
] satisfies (keyof Stored<SwapHop>)[]

/** Does not compile if a column of the table is missing above. */
type Missing = Exclude<keyof Stored<SwapHop>, (typeof COLUMNS)[number]>
const COLUMN_LIST = COLUMNS.join() satisfies [Missing] extends [never] ? string : never

const IN_TRADE = `SELECT chain_id, block_number, transaction_index, hop_log_index AS log_index, position, block_time,
  pool_key, sell_token AS token_in, sell_amount AS amount_in, buy_token AS token_out, buy_amount AS amount_out,
  volume_usd, flags & ${HOP_FLAGS}::smallint AS flags, parts FROM swap`

export const HOPS_IN_TRADES = Prisma.raw(`${IN_TRADE} WHERE hop_log_index IS NOT NULL`)

/**
 * Because the condition is outside the union, Postgres can read both tables by an index, in order and for each row of a
 * join.
 */
export const HOPS = Prisma.raw(`(SELECT * FROM (
    SELECT ${COLUMN_LIST}, 0::smallint AS parts FROM swap_hop UNION ALL ${IN_TRADE}
  ) AS row WHERE log_index IS NOT NULL)`)

/** Returns the only hop of a trade if its tokens, amounts, value and flags are those of the trade; otherwise null. */
export function hopInTrade(trade: PricedTrade): PricedTrade['hops'][number] | null {
  const { hops, hopsUsdE8, sell, buy, usdE8, flags, awaited } = trade
  const [hop] = hops
  if (hop === undefined || hops.length > 1 || awaited !== undefined) return null
  if (hop.tokenIn !== sell.token || hop.amountIn !== sell.amount) return null
  if (hop.tokenOut !== buy.token || hop.amountOut !== buy.amount) return null
  return (hopsUsdE8[0] ?? null) === usdE8 && hopFlags(trade, 0) === (flags & HOP_FLAGS) ? hop : null
}

function* hopRows(chainId: number, trades: readonly PricedTrade[]): Generator<Stored<SwapHop>, undefined> {
  const textOf = timeTexts()
  for (const trade of trades) {
    if (hopInTrade(trade) !== null) continue
    const { blockNumber, transactionIndex, position, timestamp, hops, hopsUsdE8 } = trade
    const time = textOf(timestamp)
    for (const [index, { pool, logIndex, tokenIn, amountIn, tokenOut, amountOut }] of hops.entries()) {
      const usdE8 = hopsUsdE8[index] ?? null
      yield {
        chain_id: chainId,
        block_number: blockNumber,
        transaction_index: transactionIndex,
        log_index: logIndex,
        position,
        block_time: time,
        pool_key: poolKey(pool.address),
        token_in: byteaText(tokenIn),
        amount_in: String(amountIn),
        token_out: byteaText(tokenOut),
        amount_out: String(amountOut),
        volume_usd: usdE8 === null ? null : usdText(usdE8),
        flags: hopFlags(trade, index),
      }
    }
  }
}

export async function insertHops(tx: Db, chainId: number, trades: readonly PricedTrade[]): Promise<void> {
  const rows = [...hopRows(chainId, trades)]
  if (rows.length === 0) return
  const columns = Prisma.raw(COLUMN_LIST)
  await tx.$executeRaw`
    INSERT INTO swap_hop (${columns}) SELECT ${columns} FROM json_populate_recordset(NULL::swap_hop, ${json(rows)})`
}

export async function copyHops(connection: ClientBase, chainId: number, trades: readonly PricedTrade[]): Promise<void> {
  if (trades.length > 0) {
    await copyRows(connection, `COPY swap_hop (${COLUMN_LIST}) FROM STDIN`, hopRows(chainId, trades), line)
  }
}

function line(row: Stored<SwapHop>): string {
  return (
    `${row.chain_id}\t${row.block_number}\t${row.transaction_index}\t${row.log_index}\t${row.position}\t` +
    `${row.block_time}\t${row.pool_key}\t${copiedBytea(row.token_in)}\t${row.amount_in}\t` +
    `${copiedBytea(row.token_out)}\t${row.amount_out}\t${row.volume_usd ?? NULL}\t${row.flags}\n`
  )
}

export function hopsOfBlocks(chainId: number, range: BlockRange): Prisma.Sql {
  return Prisma.sql`SELECT * FROM ${HOPS} AS hop WHERE ${inBlocks(chainId, range)}`
}

export function keptHopsOfBlocks(chainId: number, range: BlockRange): Prisma.Sql {
  return Prisma.sql`
    SELECT * FROM ${HOPS} AS hop WHERE ${inBlocks(chainId, range)} AND ${isOfKeptDay(Prisma.sql`block_time`)}`
}

export interface GoneHops {
  /** Minutes (given by their first second) in which pools and tokens lost hops; pools by key, tokens as bytea text. */
  pools: { minute: number; key: string }[]
  tokens: { minute: number; token: string }[]
  /** By hour (given by its first second) and pool. */
  volumes: { hour: number; key: string; trades: number; unpriced: number; volume: string }[]
}

/** Includes hops that trades hold; delete those trades afterwards. */
export async function deleteHops(tx: Db, chainId: number, range: BlockRange): Promise<GoneHops> {
  const [row] = await tx.$queryRaw<{ found: string }[]>`
    WITH deleted AS (
      DELETE FROM swap_hop WHERE ${inBlocks(chainId, range)}
    ), gone AS (
      SELECT extract(epoch FROM date_trunc('minute', block_time))::bigint AS minute, pool_key, token_in, token_out,
        volume_usd
      FROM ${HOPS} AS hop WHERE ${inBlocks(chainId, range)}
    )
    SELECT json_build_object(
      'pools', (SELECT coalesce(json_agg(p), '[]') FROM (SELECT DISTINCT minute, pool_key::text AS key FROM gone) AS p),
      'tokens', (SELECT coalesce(json_agg(t), '[]')
        FROM (SELECT minute, token_in AS token FROM gone UNION SELECT minute, token_out FROM gone) AS t),
      'volumes', (SELECT coalesce(json_agg(v), '[]') FROM (
        SELECT minute - minute % 3600 AS hour, pool_key::text AS key, count(*) AS trades,
          count(*) - count(volume_usd) AS unpriced, coalesce(sum(volume_usd), 0.00000000)::text AS volume
        FROM gone GROUP BY 1, 2) AS v)
    )::text AS found`
  return JSON.parse(row?.found ?? '{"pools":[],"tokens":[],"volumes":[]}')
}

/** Includes pools that share a short key with a pool of these hops. */
export async function readPoolsOfHops(db: Db, chainId: number, range: BlockRange): Promise<PoolAddress[]> {
  const query = Prisma.sql`
    SELECT address FROM pool WHERE chain_id = ${chainId}
      AND ${keyOf('address')} = ANY (ARRAY(
        SELECT DISTINCT pool_key FROM ${HOPS} AS hop WHERE ${inBlocks(chainId, range)}))`
  return (await readRows<{ address: string }>(db, query)).map(({ address }) => hexOf(address))
}

/** A block's time is at most this many seconds before that of any earlier block. */
export const MAX_STEP_BACK_S = 60

/**
 * The minutes from `first` to `last` (given by their first seconds) surround the range. Block times rarely decrease, so
 * the search starts at the ends of the range and follows the primary keys.
 */
export function hopsOfMinutes(chainId: number, first: number, last: number, { from, to }: BlockRange): Prisma.Sql {
  return Prisma.sql`
    SELECT * FROM ${HOPS} AS hop
    WHERE chain_id = ${chainId} AND block_time >= to_timestamp(${first}) AND block_time < to_timestamp(${last + 60})
      AND block_number > coalesce((
        SELECT block_number FROM ${HOPS} AS hop WHERE chain_id = ${chainId} AND block_number < ${from}::bigint
          AND block_time < to_timestamp(${first - MAX_STEP_BACK_S}) ORDER BY block_number DESC LIMIT 1), -1)
      AND block_number < coalesce((
        SELECT block_number FROM ${HOPS} AS hop WHERE chain_id = ${chainId} AND block_number > ${to}::bigint
          AND block_time >= to_timestamp(${last + 60 + MAX_STEP_BACK_S}) ORDER BY block_number LIMIT 1), ${Number.MAX_SAFE_INTEGER}::bigint)`
}

export function hopsOfDay(date: string | Prisma.Sql): Prisma.Sql {
  return Prisma.sql`SELECT * FROM ${HOPS} AS hop WHERE block_time >= ${date}::date::timestamp AT TIME ZONE 'UTC'
    AND block_time < (${date}::date + 1)::timestamp AT TIME ZONE 'UTC'`
}

export interface HopRow extends SwapPlace {
  logIndex: number
  /** What `poolKey` returns for the pool's address. */
  poolKey: string
  /** Null if the pool is not stored, or if several pools that trade these tokens share its key. */
  pool: { address: PoolAddress; dex: string } | null
  tokenIn: Address
  amountIn: string
  tokenOut: Address
  amountOut: string
  volumeUsd: string | null
  flags: number
}

interface CandidatePool {
  address: string
  dex: string
  tokens: string[]
}

/** The stored pools with a hop's key. */
export type CandidatePools = readonly CandidatePool[] | null

export type PageHop = Stored<SwapHop> & { pools: CandidatePools }

/** Selects the CandidatePools of a row named `hop`. */
export const CANDIDATE_POOLS = Prisma.sql`(
    SELECT json_agg(json_build_object('address', address, 'dex', dex,
      'tokens', coins || underlying || token0 || token1)) FROM pool
    WHERE pool.chain_id = hop.chain_id AND ${keyOf('address')} = hop.pool_key
  )`

/** Selects the hops of the trades in `page`, in log order; `window` is a condition that their `block_time` meets. */
export const hopsOfPage = (window: Prisma.Sql): Prisma.Sql => Prisma.sql`
  SELECT hop.*, hop.pool_key::text, hop.amount_in::text, hop.amount_out::text, hop.volume_usd::text, ${CANDIDATE_POOLS} AS pools
  FROM (
    SELECT ${Prisma.raw(COLUMN_LIST)} FROM (${Prisma.raw(IN_TRADE.replace('FROM swap', 'FROM page AS swap'))}) AS hop
    WHERE log_index IS NOT NULL
    UNION ALL
    SELECT hop.* FROM page CROSS JOIN LATERAL (
      SELECT ${Prisma.raw(COLUMN_LIST)} FROM swap_hop AS hop WHERE hop.chain_id = page.chain_id
        AND hop.block_number = page.block_number AND hop.transaction_index = page.transaction_index
        AND hop.position = page.position AND hop.block_time = page.block_time AND ${window} OFFSET 0) AS hop
    WHERE page.hop_log_index IS NULL
  ) AS hop
  ORDER BY block_number, transaction_index, log_index`

/** Tokens are bytea texts. */
export function poolOfHop(pools: CandidatePools, tokenIn: string, tokenOut: string): HopRow['pool'] {
  const [pool, ...others] = (pools ?? []).filter(
    ({ tokens }, _, all) => all.length === 1 || (tokens.includes(tokenIn) && tokens.includes(tokenOut)),
  )
  return pool === undefined || others.length > 0 ? null : { address: hexOf(pool.address), dex: pool.dex }
}

export function toHopRow({ pools, ...row }: PageHop): HopRow {
  return {
    blockNumber: Number(row.block_number),
    transactionIndex: row.transaction_index,
    position: row.position,
    logIndex: row.log_index,
    poolKey: String(row.pool_key),
    pool: poolOfHop(pools, row.token_in, row.token_out),
    tokenIn: hexOf(row.token_in),
    amountIn: row.amount_in,
    tokenOut: hexOf(row.token_out),
    amountOut: row.amount_out,
    volumeUsd: row.volume_usd,
    flags: row.flags,
  }
}
