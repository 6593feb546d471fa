import {
  type Address,
  DAY_S,
  dayOf,
  type Hex,
  isCoin,
  NETWORKS,
  type NetworkName,
  type PoolAddress,
} from '@dexfeed/dex'
import { Prisma } from '../../generated/client.ts'
import { byteaText, inBlocks } from '../../stored.ts'
import { blockOfTime, withinDays } from './blocks-of-times.ts'
import { keyOf, poolKey } from './pool-key.ts'
import { HOPS } from './swap-hop.ts'
import type { SwapPlace } from './swap-list.ts'
import type { StoredSwap } from './swap-page.ts'

// Searches the trades of a network day by day: along the primary keys of the days' partitions, up to a number of rows,
// or by the index of a value that few rows of a day have.

/** Times are in seconds since 1970, `minUsd` and `maxUsd` in decimal USD. */
export interface SwapFilter {
  txHash?: Hex
  trader?: Address
  /**
   * Sold or bought. The wrapped coin also finds the native coin; a placeholder of the native coin finds only that. The
   * same holds for `sellToken` and `buyToken`.
   */
  token?: Address
  sellToken?: Address
  buyToken?: Address
  /** Identifier of the pool, or its 32-byte id within its manager. */
  pool?: PoolAddress
  protocol?: string
  /** Inclusive. */
  since?: number
  /** Exclusive. */
  until?: number
  minUsd?: string
  maxUsd?: string
}

export interface SwapBoundary extends SwapPlace {
  day: number
}

export interface NetworkSearch {
  network: NetworkName
  filter: SwapFilter
  ascending: boolean
  from: SwapBoundary | null
  /** Whether a descending search starts at the last final block instead of the head. */
  final?: boolean
  /** The days to search, in order; not empty. */
  days: readonly number[]
  limit: number
}

/**
 * A row of a search. The row with `last`, which need not match, says how far the search went: through that trade, or in
 * `lookedUp`, where it is no trade, through the day of its time. If the page filled up first, there is no such row.
 */
export type SearchedSwap = StoredSwap & {
  matching: boolean
  last: boolean
  examined: number
  /** Whether more rows of the last day have the value than a lookup reads. */
  common: boolean
}

const DAY = Prisma.raw(`${DAY_S}::float8`)
const MAX_INT4 = 2_147_483_647
/** An indexed row is read from anywhere in the day, which takes about twice as long as reading the next row. */
const ROW_COST = 2
export const BEFORE_ALL = { blockNumber: 0, transactionIndex: 0, position: -1 } as const satisfies SwapPlace
export const AFTER_ALL = {
  blockNumber: Number.MAX_SAFE_INTEGER,
  transactionIndex: MAX_INT4,
  position: MAX_INT4,
} as const satisfies SwapPlace

/** A search that finds nothing. */
export const NO_TRADES = Prisma.sql`SELECT swap.*, 0::bigint AS examined, false AS last, false AS matching,
  false AS common FROM swap WHERE false`

/** Selects the matching trades among the next `budget` rows, in order. Postgres stops at the row that fills the page. */
export function scanned(search: NetworkSearch, budget: number): Prisma.Sql {
  return Prisma.sql`
    SELECT swap.*, ${matches(search)} AS matching, false AS common FROM (
      SELECT swap.*, row_number() OVER () AS examined, lead(swap.chain_id) OVER () IS NULL AS last FROM (
        SELECT swap.* FROM (${daysOf(search)}) AS day CROSS JOIN LATERAL (
          SELECT * FROM swap WHERE ${within(search)} ORDER BY ${orderOf(search)}
        ) AS swap LIMIT ${budget}
      ) AS swap
    ) AS swap WHERE last OR ${matches(search)} LIMIT ${search.limit}`
}

export function hasIndex({ trader, token, sellToken, buyToken, pool }: SwapFilter): boolean {
  return [trader, token, sellToken, buyToken, pool].some((value) => value !== undefined)
}

/**
 * Selects the matching trades by the index of a filter: swap_sell_token_idx, swap_buy_token_idx, swap_hop_pool_idx and
 * swap_pool_idx, or the index of traders (search-index.ts). Stops at a day on which more than `maxRows` rows have the
 * value, without searching that day, and after examining `budget` rows.
 *
 * @param unindexed days without an index of traders
 */
export function lookedUp(
  search: NetworkSearch,
  { maxRows, budget, unindexed }: { maxRows: number; budget: number; unindexed: readonly number[] },
): Prisma.Sql {
  const { network, limit } = search
  return Prisma.sql`(
    WITH RECURSIVE day AS MATERIALIZED (
      SELECT *, row_number() OVER () AS number FROM (${daysOf(search)}) AS day
    ), walk AS (
      SELECT 0::bigint AS number, 0 AS matched, 0::bigint AS examined, false AS common, NULL::swap[] AS found
      UNION ALL
      SELECT day.number, matched + coalesce(cardinality(of_day.found), 0), examined + ${ROW_COST} * of_day.rows,
        of_day.rows > ${maxRows}, of_day.found
      FROM walk JOIN day ON day.number = walk.number + 1 CROSS JOIN LATERAL (
        WITH valued AS MATERIALIZED (${valued(search, maxRows + 1, unindexed)}), counted AS (
          SELECT count(*) + CASE WHEN day.day = ANY (${unindexed}::int[]) THEN ${maxRows + 1} ELSE 0 END AS rows FROM valued
        )
        SELECT rows, CASE WHEN rows <= ${maxRows} THEN ARRAY(
          SELECT ROW(swap.*)::swap FROM (${tradesOf(search)}) AS swap
          WHERE ${within(search)} AND ${matches(search)} ORDER BY ${orderOf(search)} LIMIT ${limit}) END AS found
        FROM counted
      ) AS of_day
      WHERE matched < ${limit} AND NOT common AND examined < ${budget}
    )
    SELECT swap.*, examined, false AS last, true AS matching, false AS common FROM walk CROSS JOIN LATERAL unnest(walk.found) AS swap
    UNION ALL
    (SELECT last.*, examined, true, false, common FROM walk JOIN day USING (number) CROSS JOIN LATERAL json_populate_record(
      NULL::swap, json_build_object('chain_id', ${NETWORKS[network].chainId}::int, 'block_time', to_timestamp(day.day * ${DAY}))) AS last
    ORDER BY number DESC LIMIT 1))`
}

/**
 * Selects the rows of a day with the value, of any network: the indexes do not know networks, so that the rows of others
 * cost as much.
 */
function valued({ network, filter, days }: NetworkSearch, limit: number, unindexed: readonly number[]): Prisma.Sql {
  const ofDay = Prisma.sql`${withinDays(days)} AND ${IN_DAY}`
  const by = (condition: Prisma.Sql) => Prisma.sql`SELECT * FROM swap WHERE ${condition} AND ${ofDay} LIMIT ${limit}`
  const { trader, pool, sellToken, buyToken, token } = filter
  if (trader !== undefined) {
    return by(Prisma.sql`trader = ${bytea(trader)} AND NOT day.day = ANY (${unindexed}::int[])`)
  }
  if (pool !== undefined) {
    return Prisma.sql`SELECT chain_id, block_number, transaction_index, position, block_time FROM ${HOPS} AS hop
      WHERE pool_key = ${poolKey(pool)}::bigint AND ${ofDay} LIMIT ${limit}`
  }
  if (sellToken !== undefined) return by(Prisma.sql`sell_token = ${rowToken(network, sellToken)}`)
  if (buyToken !== undefined) return by(Prisma.sql`buy_token = ${rowToken(network, buyToken)}`)
  const either = token === undefined ? Prisma.sql`NULL` : rowToken(network, token)
  const legs = [
    by(Prisma.sql`sell_token = ${either}`),
    by(Prisma.sql`buy_token = ${either} AND sell_token <> ${either}`),
  ]
  return Prisma.sql`(${Prisma.join(legs, ') UNION ALL (')}) LIMIT ${limit}`
}

function tradesOf({ network, filter, days }: NetworkSearch): Prisma.Sql {
  if (filter.trader !== undefined || filter.pool === undefined) return Prisma.sql`SELECT * FROM valued`
  const { chainId } = NETWORKS[network]
  return Prisma.sql`SELECT swap.* FROM (SELECT DISTINCT * FROM valued WHERE chain_id = ${chainId}) AS hop CROSS JOIN LATERAL (
    SELECT * FROM swap WHERE chain_id = ${chainId} AND block_number = hop.block_number
      AND transaction_index = hop.transaction_index AND position = hop.position AND block_time = hop.block_time AND ${withinDays(days)} OFFSET 0) AS swap`
}

/**
 * Selects the days to search, in order, each with the place (block, transaction, position) where its search begins and
 * the last block that may hold swaps of the filter's times; null without such a bound.
 */
function daysOf({ network, filter: { since, until }, ascending, from, final, days }: NetworkSearch): Prisma.Sql {
  const [near, far] = ascending ? [since, until] : [until, since]
  const end = ascending ? BEFORE_ALL : AFTER_ALL
  const further = ascending ? Prisma.sql`greatest` : Prisma.sql`least`
  const placeOf = ({ blockNumber, transactionIndex, position }: SwapPlace) =>
    Prisma.sql`ARRAY[${blockNumber}, ${transactionIndex}, ${position}]::bigint[]`
  const begins = [placeOf(end)]
  if (!ascending)
    begins.push(Prisma.sql`ARRAY[(${topOf(network, final)}), ${end.transactionIndex}, ${end.position}]::bigint[]`)
  if (from !== null) begins.push(Prisma.sql`CASE WHEN day = ${from.day} THEN ${placeOf(from)} END`)
  if (near !== undefined && near % DAY_S !== 0) {
    const block = blockOfTime(network, near, ascending ? 'since' : 'until')
    begins.push(Prisma.sql`CASE WHEN day = ${dayOf(near)} THEN
      ARRAY[${block}, ${end.transactionIndex}, ${end.position}]::bigint[] END`)
  }
  const lastBlock =
    far === undefined || far % DAY_S === 0
      ? Prisma.sql`NULL::bigint`
      : Prisma.sql`CASE WHEN day = ${dayOf(far)} THEN ${blockOfTime(network, far, ascending ? 'until' : 'since')} END`
  return Prisma.sql`
    SELECT day, ${further}(${Prisma.join(begins)}) AS begin, ${lastBlock} AS last_block
    FROM unnest(${days}::int[]) AS day`
}

function topOf(network: NetworkName, final: boolean | undefined): Prisma.Sql {
  const top = final
    ? Prisma.sql`coalesce(final_number, -1)`
    : Prisma.sql`coalesce(head_number, ${Number.MAX_SAFE_INTEGER}::bigint)`
  return Prisma.sql`SELECT ${top} FROM network WHERE chain_id = ${NETWORKS[network].chainId}`
}

const IN_DAY = Prisma.sql`block_time >= to_timestamp(day.day * ${DAY}) AND block_time < to_timestamp((day.day + 1) * ${DAY})`

function within(search: NetworkSearch): Prisma.Sql {
  const { network, ascending, days } = search
  const { since, until } = search.filter
  const place = Prisma.sql`(block_number, transaction_index, position)`
  const begin = Prisma.sql`(day.begin[1], day.begin[2], day.begin[3])`
  const conditions = [
    Prisma.sql`chain_id = ${NETWORKS[network].chainId}`,
    withinDays(days),
    IN_DAY,
    ascending ? Prisma.sql`${place} > ${begin}` : Prisma.sql`${place} <= ${begin}`,
  ]
  const far = ascending ? until : since
  if (far !== undefined) {
    conditions.push(
      ascending
        ? Prisma.sql`block_number <= coalesce(day.last_block, ${Number.MAX_SAFE_INTEGER})`
        : Prisma.sql`block_number >= coalesce(day.last_block, 0)`,
    )
  }
  return Prisma.join([...conditions, ...inTimes(search.filter)], ' AND ')
}

function inTimes({ since, until }: SwapFilter): Prisma.Sql[] {
  const conditions: Prisma.Sql[] = []
  if (since !== undefined) conditions.push(Prisma.sql`block_time >= to_timestamp(${since})`)
  if (until !== undefined) conditions.push(Prisma.sql`block_time < to_timestamp(${until})`)
  return conditions
}

interface Matching {
  network: NetworkName
  filter: SwapFilter
  /** Null allows any day. */
  days: readonly number[] | null
}

/** For a row named `swap`. */
function matches({ network, filter, days }: Matching): Prisma.Sql {
  const { txHash, trader, token, sellToken, buyToken, minUsd, maxUsd } = filter
  const conditions = [Prisma.sql`true`]
  if (txHash !== undefined) conditions.push(Prisma.sql`tx_hash = ${bytea(txHash)}`)
  if (trader !== undefined) conditions.push(Prisma.sql`trader = ${bytea(trader)}`)
  const isLeg = (leg: 'sell' | 'buy', address: Address) =>
    isCoin(network, address)
      ? Prisma.raw(`${leg}_native`)
      : Prisma.sql`${Prisma.raw(`${leg}_token`)} = ${bytea(address)}`
  if (token !== undefined) conditions.push(Prisma.sql`(${isLeg('sell', token)} OR ${isLeg('buy', token)})`)
  if (sellToken !== undefined) conditions.push(isLeg('sell', sellToken))
  if (buyToken !== undefined) conditions.push(isLeg('buy', buyToken))
  if (minUsd !== undefined) conditions.push(Prisma.sql`volume_usd >= ${minUsd}::numeric`)
  if (maxUsd !== undefined) conditions.push(Prisma.sql`volume_usd <= ${maxUsd}::numeric`)
  if (filter.pool !== undefined || filter.protocol !== undefined) conditions.push(hasHop(network, filter, days))
  return Prisma.sql`coalesce(${Prisma.join(conditions, ' AND ')}, false)`
}

/** OFFSET 0 makes the planner look up each row, instead of reading all hops or all pools first. */
function hasHop(network: NetworkName, { pool, protocol }: SwapFilter, days: readonly number[] | null): Prisma.Sql {
  const { chainId } = NETWORKS[network]
  const window = days === null ? Prisma.sql`true` : withinDays(days)
  const uses = (row: 'swap' | 'hop') => {
    const key = Prisma.raw(`${row}.pool_key`)
    const conditions: Prisma.Sql[] = []
    if (pool !== undefined) conditions.push(Prisma.sql`${key} = ${poolKey(pool)}::bigint`)
    if (protocol !== undefined) {
      conditions.push(Prisma.sql`EXISTS (SELECT FROM pool WHERE pool.chain_id = ${chainId}
        AND dex = ${protocol} AND ${keyOf('pool.address')} = ${key} OFFSET 0)`)
    }
    return Prisma.join(conditions, ' AND ')
  }
  return Prisma.sql`CASE WHEN swap.hop_log_index IS NOT NULL THEN ${uses('swap')}
    ELSE EXISTS (SELECT FROM swap_hop AS hop WHERE hop.chain_id = ${chainId} AND hop.block_number = swap.block_number
      AND hop.transaction_index = swap.transaction_index AND hop.position = swap.position
      AND hop.block_time = swap.block_time AND ${window} AND ${uses('hop')} OFFSET 0) END`
}

function rowToken(network: NetworkName, token: Address): Prisma.Sql {
  if (!isCoin(network, token)) return bytea(token)
  return Prisma.sql`(SELECT wrapped_native FROM network WHERE chain_id = ${NETWORKS[network].chainId})`
}

function orderOf({ ascending }: NetworkSearch): Prisma.Sql {
  return ascending
    ? Prisma.sql`block_number, transaction_index, position`
    : Prisma.sql`block_number DESC, transaction_index DESC, position DESC`
}

export function swapsOfBlocks(chainId: number, range: { from: number; to: number }, limit: number): Prisma.Sql {
  return Prisma.sql`SELECT * FROM swap WHERE ${inBlocks(chainId, range)}
    ORDER BY block_number, transaction_index, position LIMIT ${limit}`
}

export function swapsOfDay(network: NetworkName, from: SwapBoundary, limit: number): Prisma.Sql {
  return Prisma.sql`SELECT * FROM swap WHERE chain_id = ${NETWORKS[network].chainId} AND ${withinDays([from.day])}
    AND (block_number, transaction_index, position) > (${from.blockNumber}::bigint, ${from.transactionIndex}, ${from.position})
    ORDER BY block_number, transaction_index, position LIMIT ${limit}`
}

/**
 * Selects the days with trades of a transaction by its index (search-index.ts).
 *
 * @param unindexed days without the index, which are not read
 */
export function daysOfTransaction(hash: Hex, unindexed: readonly number[]): Prisma.Sql {
  const others = unindexed.map((day) => Prisma.sql`NOT (${withinDays([day])})`)
  return Prisma.sql`SELECT DISTINCT floor(extract(epoch FROM block_time) / ${DAY})::int AS day FROM swap
    WHERE ${Prisma.join([isTransaction(hash), ...others], ' AND ')}`
}

/** Selects the first of the given days that has the transaction. Reads the rows of those days. */
export function firstDayOfTransaction(hash: Hex, days: readonly number[]): Prisma.Sql {
  const found = days.map(
    (day) => Prisma.sql`SELECT ${day}::int AS day FROM swap WHERE ${isTransaction(hash)} AND ${withinDays([day])}`,
  )
  return Prisma.sql`SELECT day FROM (${Prisma.join(found, ' UNION ALL ')}) AS found LIMIT 1`
}

/** Selects the matching trades of the filter's transaction; `block_time` meets `window`. */
export function ofTransaction(network: NetworkName, filter: SwapFilter & { txHash: Hex }, window: Prisma.Sql) {
  const conditions = [
    Prisma.sql`chain_id = ${NETWORKS[network].chainId}`,
    isTransaction(filter.txHash),
    window,
    ...inTimes(filter),
    matches({ network, filter, days: null }),
  ]
  return Prisma.sql`SELECT swap.*, 0 AS examined, false AS last, true AS matching, false AS common FROM swap
    WHERE ${Prisma.join(conditions, ' AND ')} ORDER BY block_number, transaction_index, position`
}

function isTransaction(hash: Hex): Prisma.Sql {
  return Prisma.sql`substring(tx_hash from 1 for 4) = ${bytea(hash.slice(0, 10) as Hex)} AND tx_hash = ${bytea(hash)}`
}

function bytea(hex: Hex): Prisma.Sql {
  return Prisma.sql`${byteaText(hex)}::bytea`
}
