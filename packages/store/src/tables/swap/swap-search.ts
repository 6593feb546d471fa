import {
  type Address,
  type BlockRange,
  DAY_S,
  type Hex,
  isCoin,
  NETWORKS,
  type NetworkName,
  type PoolAddress,
  startOfDay,
} from '@dexfeed/dex'
import type { Db } from '../../database/transaction.ts'
import { Prisma } from '../../generated/client.ts'
import { byteaText, inBlocks } from '../../stored.ts'
import { keyOf, poolKey } from './pool-key.ts'
import { HOPS } from './swap-hop.ts'
import { type SwapPlace, type SwapRow, toSwapRow } from './swap-list.ts'

// Searches one day's partition of `swap` at a time: along its primary key, up to a number of rows, or by the index of a
// value that few rows of the day have.

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

/** A position directly after a trade, or before the first one. */
export interface SwapBoundary extends SwapPlace {
  day: number
}

export interface FoundSwap extends SwapRow {
  trader: Address | null
  settledFor: Address | null
  /** Index in USD_SOURCES. */
  usdSource: number | null
  /** Bits of UsdValue.flags. */
  flags: number
}

export interface DaySearch {
  network: NetworkName
  day: number
  filter: SwapFilter
  ascending: boolean
  /** Where the search begins; null for the whole day. */
  from: SwapBoundary | null
  /** Last block in the order of the search; absent if the day is searched to its end. */
  lastBlock?: number
  /** Block of the filter's transaction. */
  block?: number
  isIndexed?: boolean
  limit: number
}

const COLUMNS = Prisma.sql`block_number, transaction_index, position, extract(epoch FROM block_time),
  '0x' || encode(tx_hash, 'hex'),
  '0x' || encode(sell_token, 'hex'), sell_native, sell_amount, '0x' || encode(buy_token, 'hex'), buy_native, buy_amount,
  volume_usd, flags, '0x' || encode(trader, 'hex'),
  '0x' || encode(settled_for, 'hex'), usd_source`

/** Takes a row of `scanOfDay` after its first two columns, of `lookupOfDay` after its first, or of `swapsOfBlocks`. */
export function toFoundSwap(network: NetworkName, row: readonly (string | null)[]): FoundSwap {
  const [flags, trader, settledFor, usdSource] = row.slice(12)
  return {
    ...toSwapRow(network, row),
    trader: (trader ?? null) as Address | null,
    settledFor: (settledFor ?? null) as Address | null,
    usdSource: usdSource == null ? null : Number(usdSource),
    flags: Number(flags),
  }
}

/**
 * Selects at most `limit` matching trades among the next `budget` rows of the day, and as an extra row the last one
 * examined. Two columns come first: true for a match or false for that last row, and the number of rows examined.
 */
export function scanOfDay(search: DaySearch, budget: number): Prisma.Sql {
  const order = orderOf(search)
  return Prisma.sql`
    WITH seen AS MATERIALIZED (
      SELECT * FROM swap WHERE ${within(search)} ORDER BY ${order} LIMIT ${budget}
    ), last AS (
      SELECT block_number, transaction_index, position FROM seen ORDER BY ${reverseOf(search)} LIMIT 1
    ), matching AS (
      SELECT * FROM seen AS swap WHERE ${matches(search)} ORDER BY ${order} LIMIT ${search.limit}
    )
    SELECT true, (SELECT count(*) FROM seen), ${COLUMNS} FROM matching
    UNION ALL SELECT false, (SELECT count(*) FROM seen), ${COLUMNS} FROM seen JOIN last USING (block_number, transaction_index, position)`
}

export function swapsOfBlocks(network: NetworkName, range: BlockRange, limit: number): Prisma.Sql {
  return Prisma.sql`
    SELECT ${COLUMNS} FROM swap
    WHERE ${inBlocks(NETWORKS[network].chainId, range)}
    ORDER BY block_number, transaction_index, position LIMIT ${limit}`
}

/**
 * Selects the first `limit` trades of the day by the index of the most selective filter: swap_sell_token_idx,
 * swap_buy_token_idx, swap_hop_pool_idx and swap_pool_idx, or that of traders (search-index.ts). The first column is
 * how many rows of the day have the value; above `maxRows` the trades are incomplete. Returns null if no filter has an
 * index.
 */
export function lookupOfDay(search: DaySearch, maxRows: number): Prisma.Sql | null {
  const candidates = candidatesOf(search, maxRows + 1)
  if (candidates === null) return null
  return Prisma.sql`
    WITH ${candidates}, counted AS (SELECT count(*) AS rows FROM found)
    SELECT (SELECT rows FROM counted), swap.* FROM (
      SELECT ${COLUMNS} FROM candidate AS swap WHERE ${within(search)} AND ${matches(search)}
      ORDER BY ${orderOf(search)} LIMIT ${search.limit}
    ) AS swap
    UNION ALL SELECT rows, ${COLUMNS} FROM counted, (SELECT (NULL::swap).*) AS nothing WHERE rows > ${maxRows}`
}

function candidatesOf({ network, day, filter, block, isIndexed }: DaySearch, limit: number): Prisma.Sql | null {
  const ofDay = dayOfNetwork(network, day)
  const by = (condition: Prisma.Sql) => Prisma.sql`SELECT * FROM swap WHERE ${condition} AND ${ofDay} LIMIT ${limit}`
  const trades = (query: Prisma.Sql) => Prisma.sql`found AS MATERIALIZED (${query}), candidate AS (SELECT * FROM found)`
  if (block !== undefined) return trades(by(Prisma.sql`block_number = ${block}::bigint`))
  if (filter.trader !== undefined && isIndexed) return trades(by(Prisma.sql`trader = ${bytea(filter.trader)}`))
  if (filter.pool !== undefined) {
    return Prisma.sql`found AS MATERIALIZED (
        SELECT block_number, transaction_index, position FROM ${HOPS} AS hop
        WHERE pool_key = ${poolKey(filter.pool)}::bigint AND ${ofDay} LIMIT ${limit}
      ), candidate AS (
        SELECT swap.* FROM (SELECT DISTINCT * FROM found) AS hop
        JOIN swap USING (block_number, transaction_index, position) WHERE ${ofDay}
      )`
  }
  if (filter.sellToken !== undefined) return trades(by(Prisma.sql`sell_token = ${rowToken(network, filter.sellToken)}`))
  if (filter.buyToken !== undefined) return trades(by(Prisma.sql`buy_token = ${rowToken(network, filter.buyToken)}`))
  if (filter.token === undefined) return null
  const token = rowToken(network, filter.token)
  return trades(Prisma.sql`(${by(Prisma.sql`sell_token = ${token}`)}) UNION ALL
    (${by(Prisma.sql`buy_token = ${token} AND sell_token <> ${token}`)}) LIMIT ${limit}`)
}

export interface TransactionBlock {
  chainId: number
  block: number
  day: number
}

/**
 * Reads days without the index only if the other days lack the transaction, and in one statement, so that one time
 * limit covers all of them.
 *
 * @param unindexed days without the index, newest first
 */
export async function blocksOfTransaction(
  db: Db,
  hash: Hex,
  unindexed: readonly number[],
): Promise<TransactionBlock[]> {
  const listIn = (days: Prisma.Sql) => Prisma.sql`
    SELECT json_agg(DISTINCT jsonb_build_object('chainId', chain_id, 'block', block_number,
      'day', floor(extract(epoch FROM block_time) / ${DAY_S})::int)) AS blocks
    FROM swap WHERE ${isTransaction(hash)} AND ${days} HAVING count(*) > 0`
  const firstOf = async (days: readonly Prisma.Sql[]) => {
    const lists = Prisma.join(days.map(listIn), ' UNION ALL ')
    const rows = await db.$queryRaw<{ blocks: TransactionBlock[] }[]>`${lists} LIMIT 1`
    return rows[0]?.blocks ?? []
  }
  const others = unindexed.map((day) => Prisma.sql`NOT (${ofDay(day)})`)
  const found = await firstOf([Prisma.join([Prisma.sql`true`, ...others], ' AND ')])
  return found.length > 0 || unindexed.length === 0 ? found : firstOf(unindexed.map(ofDay))
}

function isTransaction(hash: Hex): Prisma.Sql {
  return Prisma.sql`substring(tx_hash from 1 for 4) = ${bytea(hash.slice(0, 10) as Hex)} AND tx_hash = ${bytea(hash)}`
}

function dayOfNetwork(network: NetworkName, day: number): Prisma.Sql {
  return Prisma.sql`chain_id = ${NETWORKS[network].chainId} AND ${ofDay(day)}`
}

function ofDay(day: number): Prisma.Sql {
  return Prisma.sql`block_time >= to_timestamp(${startOfDay(day)}) AND block_time < to_timestamp(${startOfDay(day + 1)})`
}

function within({ network, day, from, lastBlock, ascending, filter: { since, until } }: DaySearch): Prisma.Sql {
  const conditions = [dayOfNetwork(network, day)]
  if (from !== null && from.day === day) {
    const boundary = Prisma.sql`(${from.blockNumber}::bigint, ${from.transactionIndex}, ${from.position})`
    const place = Prisma.sql`(block_number, transaction_index, position)`
    conditions.push(ascending ? Prisma.sql`${place} > ${boundary}` : Prisma.sql`${place} <= ${boundary}`)
  }
  if (lastBlock !== undefined) {
    conditions.push(
      ascending ? Prisma.sql`block_number <= ${lastBlock}::bigint` : Prisma.sql`block_number >= ${lastBlock}::bigint`,
    )
  }
  if (since !== undefined) conditions.push(Prisma.sql`block_time >= to_timestamp(${since})`)
  if (until !== undefined) conditions.push(Prisma.sql`block_time < to_timestamp(${until})`)
  return Prisma.join(conditions, ' AND ')
}

/** For a row named `swap`. */
function matches({ network, day, filter }: DaySearch): Prisma.Sql {
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
  if (filter.pool !== undefined || filter.protocol !== undefined) conditions.push(hasHop(network, day, filter))
  return Prisma.join(conditions, ' AND ')
}

/** OFFSET 0 makes the planner look up each row, instead of reading all hops of the day or all pools first. */
function hasHop(network: NetworkName, day: number, { pool, protocol }: SwapFilter): Prisma.Sql {
  const uses = (row: 'swap' | 'hop') => {
    const key = Prisma.raw(`${row}.pool_key`)
    const conditions: Prisma.Sql[] = []
    if (pool !== undefined) conditions.push(Prisma.sql`${key} = ${poolKey(pool)}::bigint`)
    if (protocol !== undefined) {
      conditions.push(Prisma.sql`EXISTS (SELECT FROM pool WHERE pool.chain_id = ${NETWORKS[network].chainId}
        AND dex = ${protocol} AND ${keyOf('pool.address')} = ${key} OFFSET 0)`)
    }
    return Prisma.join(conditions, ' AND ')
  }
  return Prisma.sql`CASE WHEN swap.hop_log_index IS NOT NULL THEN ${uses('swap')}
    ELSE EXISTS (SELECT FROM (SELECT * FROM swap_hop WHERE ${dayOfNetwork(network, day)}) AS hop
      WHERE hop.block_number = swap.block_number AND hop.transaction_index = swap.transaction_index
        AND hop.position = swap.position AND ${uses('hop')} OFFSET 0) END`
}

/** Rows name the wrapper instead of the native coin. */
function rowToken(network: NetworkName, token: Address): Prisma.Sql {
  if (!isCoin(network, token)) return bytea(token)
  return Prisma.sql`(SELECT wrapped_native FROM network WHERE chain_id = ${NETWORKS[network].chainId})`
}

function orderOf({ ascending }: DaySearch): Prisma.Sql {
  return ascending
    ? Prisma.sql`block_number, transaction_index, position`
    : Prisma.sql`block_number DESC, transaction_index DESC, position DESC`
}

function reverseOf(search: DaySearch): Prisma.Sql {
  return orderOf({ ...search, ascending: !search.ascending })
}

function bytea(hex: Hex): Prisma.Sql {
  return Prisma.sql`${byteaText(hex)}::bytea`
}
