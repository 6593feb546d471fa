import { NETWORKS, type NetworkName } from '@dexfeed/dex'
import type { PoolClient } from 'pg'
import { textRows } from './read-session.ts'
import { SWAP_COLUMNS, type SwapPlace, type SwapRow, toSwapRow } from './swap-row.ts'

/** Which swaps of one network. */
export interface SwapRange {
  network: NetworkName
  /** Only those behind this place. */
  after: SwapPlace
  /** Only those up to this block. */
  upTo: number
  /** Only those whose block is no older, in seconds. */
  since: number
}

const RANGE = `
  chain_id = $1 AND (block_number, transaction_index, position) > ($2, $3, $4) AND block_number <= $5
  AND block_time >= to_timestamp($6)`

/** The first `limit` swaps of the range, in order. Read along swap_pkey; block_time leaves out whole partitions. */
export async function readSwapPage(client: PoolClient, range: SwapRange, limit: number): Promise<SwapRow[]> {
  const rows = await textRows(
    client,
    `SELECT ${SWAP_COLUMNS} FROM swap WHERE ${RANGE}
     ORDER BY block_number, transaction_index, position LIMIT $7`,
    [...valuesOf(range), limit],
  )
  return rows.map((row) => toSwapRow(range.network, row))
}

/** Swaps of a list whose value is not as sure as that of others. */
export interface UnsureSwaps {
  /** Without a known value. */
  unpriced: number
  /** With a value, and a mark on it. */
  flagged: number
}

/** How many swaps of the range are unsure, those left out that cannot be listed (token decimals unknown). */
export async function countUnsure(client: PoolClient, range: SwapRange): Promise<UnsureSwaps> {
  const unlisted = 'SELECT address FROM token WHERE chain_id = $1 AND decimals IS NULL'
  const { rows } = await client.query<UnsureSwaps>(
    `SELECT count(*) FILTER (WHERE volume_usd IS NULL)::float8 AS unpriced,
       count(*) FILTER (WHERE flags <> 0)::float8 AS flagged
     FROM swap WHERE ${RANGE} AND (volume_usd IS NULL OR flags <> 0)
       AND (sell_native OR sell_token NOT IN (${unlisted})) AND (buy_native OR buy_token NOT IN (${unlisted}))`,
    valuesOf(range),
  )
  return rows[0] ?? { unpriced: 0, flagged: 0 }
}

function valuesOf({ network, after, upTo, since }: SwapRange): unknown[] {
  return [NETWORKS[network].chainId, after.blockNumber, after.transactionIndex, after.position, upTo, since]
}
