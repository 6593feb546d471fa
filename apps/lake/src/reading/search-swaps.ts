import { type Address, type Hex, isCoin, type NetworkName, SECOND, USD_SOURCES } from '@dexfeed/dex'
import { type LakeSwap, type LakeSwapRow, type LakeSwapSearch, poolKey, type SwapBoundary } from '@dexfeed/store'
import * as z from 'zod'
import { quoted } from '../duck.ts'
import type { TableName } from '../tables.ts'
import { address, bytes, hex, isOfProtocol, pool, protocol, within } from './lake-sql.ts'

// Searches the files of a day. `swaps` is sorted by block, so a range of blocks is read without the rest, and `hops` by
// pool. Columns of a filter are read first, and those that a page shows only at the places found.

/** Rows that the first statement examines. Each further one examines several times as many. */
const FIRST_ROWS = 50_000
const GROWTH = 8
/** Takes about half a second. */
const MAX_EXAMINED = 3_000_000
const MAX_MS = 1.5 * SECOND
/** Each hop can be in another group of rows, which takes some milliseconds. */
const SHOWN_TOGETHER = 100
const MAX_INT4 = 2_147_483_647
const MAX_LIMIT = 5_000

interface Source {
  /** Returns what SELECT reads a table of the day from. */
  from: (table: TableName) => string
  rows(sql: string): AsyncIterable<readonly unknown[]>
  /** The part of the day to search. */
  span: { network: NetworkName; from: number; to: number }
}

type Place = readonly [block: number, transaction: number, position: number]

const SOURCES: readonly string[] = USD_SOURCES
const PLACE = 'block_number, transaction_index, position'

const account = address.exactOptional()
const usd = z
  .string()
  .regex(/^\d{1,18}(\.\d{1,8})?$/)
  .exactOptional()
const search = z.strictObject({
  filter: z.strictObject({
    txHash: hex(/^0x[0-9a-f]{64}$/).exactOptional(),
    trader: account,
    token: account,
    sellToken: account,
    buyToken: account,
    pool: pool.exactOptional(),
    protocol: protocol.exactOptional(),
    minUsd: usd,
    maxUsd: usd,
  }),
  ascending: z.boolean(),
  from: z
    .strictObject({ blockNumber: z.int(), transactionIndex: z.int(), position: z.int(), day: z.int().exactOptional() })
    .nullable(),
  limit: z.int().positive().max(MAX_LIMIT),
})

export const SWAPS = {
  of: search as z.ZodType<LakeSwapSearch>,
  read: (source: Source, search: LakeSwapSearch) => searchSwaps(source, search),
}

interface SearchLimits {
  firstRows?: number
  maxMs?: number
  shownTogether?: number
}

/**
 * Yields the matching trades in order. If the time is up, the last item is where to continue, so that a search makes
 * progress however slow the files are.
 */
export async function* searchSwaps(
  source: Source,
  search: LakeSwapSearch,
  { firstRows = FIRST_ROWS, maxMs = MAX_MS, shownTogether = SHOWN_TOGETHER }: SearchLimits = {},
): AsyncGenerator<LakeSwapRow, undefined> {
  const { ascending, limit } = search
  const blocks = await blocksOf(source, search)
  if (blocks === null) return
  let { first, last, size } = { ...blocks, size: Math.max(1, Math.floor(firstRows / blocks.rowsPerBlock)) }
  const maxSize = Math.ceil(MAX_EXAMINED / blocks.rowsPerBlock)
  const end = performance.now() + maxMs
  const places: Place[] = []
  let reached: Place | null = null
  // All trades of a transaction are in one block.
  const isOfBlock = search.filter.txHash !== undefined
  while (first <= last && places.length < limit && reached === null) {
    const from = ascending ? first : Math.max(first, last - size + 1)
    const to = ascending ? Math.min(last, first + size - 1) : last
    places.push(...(await placesIn(source, search, { from, to }, limit - places.length)))
    if (ascending) first = to + 1
    else last = from - 1
    size = Math.min(size * GROWTH, maxSize)
    if (isOfBlock && places.length > 0) break
    if (performance.now() > end && first <= last && places.length < limit)
      reached = [ascending ? to : from - 1, MAX_INT4, MAX_INT4]
  }
  for (let shown = 0; shown < places.length; shown += shownTogether) {
    const [block = 0, transaction = 0, position = 0] = places[shown - 1] ?? []
    if (shown > 0 && performance.now() > end && !isOfBlock) {
      reached = [block, transaction, ascending ? position : position - 1]
      break
    }
    yield* await tradesAt(source, search, places.slice(shown, shown + shownTogether))
  }
  if (reached !== null) yield { reached: asPlace(reached) }
}

function asPlace([blockNumber, transactionIndex, position]: Place): Omit<SwapBoundary, 'day'> {
  return { blockNumber, transactionIndex, position }
}

/** Returns the blocks to search; null if the day has no trades. */
async function blocksOf(source: Source, { ascending, from }: LakeSwapSearch) {
  const [ends] = await all(source, `SELECT min(block_number), max(block_number), count(*) FROM ${source.from('swaps')}`)
  const [min, max, rows] = (ends ?? []).map(Number)
  if (min === undefined || max === undefined || rows === undefined || rows === 0) return null
  const place = from?.blockNumber
  return {
    first: place === undefined || !ascending ? min : Math.max(min, place),
    last: place === undefined || ascending ? max : Math.min(max, place),
    rowsPerBlock: rows / (max - min + 1),
  }
}

async function placesIn(
  source: Source,
  { filter, ascending, from }: LakeSwapSearch,
  blocks: { from: number; to: number },
  limit: number,
): Promise<Place[]> {
  const isInBlocks = `block_number BETWEEN ${blocks.from} AND ${blocks.to}`
  const conditions = [isInBlocks, within(source.span, 'block_time')]
  if (from !== null) {
    const { blockNumber, transactionIndex, position } = from
    conditions.push(`(${PLACE}) ${ascending ? '>' : '<='} (${blockNumber}, ${transactionIndex}, ${position})`)
  }
  const { txHash, trader, token, sellToken, buyToken, minUsd, maxUsd } = filter
  const isLeg = (leg: 'sell' | 'buy', address: Address) =>
    isCoin(source.span.network, address) ? `${leg}_native` : `${leg}_token = ${bytes(address)}`
  if (txHash !== undefined) conditions.push(`tx_hash = ${bytes(txHash)}`)
  if (trader !== undefined) conditions.push(`trader = ${bytes(trader)}`)
  if (token !== undefined) conditions.push(`(${isLeg('sell', token)} OR ${isLeg('buy', token)})`)
  if (sellToken !== undefined) conditions.push(isLeg('sell', sellToken))
  if (buyToken !== undefined) conditions.push(isLeg('buy', buyToken))
  if (minUsd !== undefined) conditions.push(`volume_usd >= ${quoted(minUsd)}::DECIMAL(38,8)`)
  if (maxUsd !== undefined) conditions.push(`volume_usd <= ${quoted(maxUsd)}::DECIMAL(38,8)`)
  const ofHop: string[] = []
  if (filter.pool !== undefined) ofHop.push(`pool_key = ${poolKey(filter.pool)}`)
  if (filter.protocol !== undefined) ofHop.push(isOfProtocol(source.from, filter.protocol))
  if (ofHop.length > 0) {
    const hops = `SELECT (${PLACE}) FROM ${source.from('hops')} WHERE ${[isInBlocks, ...ofHop].join(' AND ')}`
    conditions.push(`(${PLACE}) IN (${hops})`)
  }
  const rows = await all(
    source,
    `SELECT ${PLACE} FROM ${source.from('swaps')} WHERE ${conditions.join(' AND ')}
    ORDER BY ${orderOf(ascending)} LIMIT ${limit}`,
  )
  return rows.map(([block, transaction, position]) => [Number(block), Number(transaction), Number(position)])
}

async function tradesAt(source: Source, { ascending }: LakeSwapSearch, places: readonly Place[]) {
  if (places.length === 0) return []
  const blocks = [...new Set(places.map(([block]) => block))]
  const isThere = `block_number IN (${blocks.join()}) AND (${PLACE}) IN (VALUES ${places.map((place) => `(${place.join()})`).join()})`
  const hopsOf = await hopsAt(source, isThere)
  const rows = await all(
    source,
    `SELECT ${PLACE}, epoch_us(block_time) // 1000000, ${['tx_hash', 'trader', 'settled_for', 'sell_token'].map(digitsOf).join()},
      sell_native, ${['sell_amount', 'buy_token'].map(digitsOf).join()}, buy_native, ${digitsOf('buy_amount')}, volume_usd::VARCHAR,
      usd_source, flags
    FROM ${source.from('swaps')} WHERE ${isThere} ORDER BY ${orderOf(ascending)}`,
  )
  return rows.map((row): LakeSwap => {
    const [block, transaction, position, time, txHash, trader, settledFor, ...more] = row
    const [sellToken, sellNative, sellAmount, buyToken, buyNative, buyAmount, volumeUsd, usdSource, flags] = more
    return {
      network: source.span.network,
      blockNumber: Number(block),
      transactionIndex: Number(transaction),
      position: Number(position),
      time: Number(time),
      txHash: hexOf(txHash),
      sellToken: hexOf(sellToken),
      sellNative: sellNative === true,
      sellAmount: amountOf(sellAmount),
      buyToken: hexOf(buyToken),
      buyNative: buyNative === true,
      buyAmount: amountOf(buyAmount),
      volumeUsd: textOf(volumeUsd),
      flagged: Number(flags) !== 0,
      trader: trader === null ? null : hexOf(trader),
      settledFor: settledFor === null ? null : hexOf(settledFor),
      usdSource: usdSource === null ? null : SOURCES.indexOf(String(usdSource)),
      flags: Number(flags),
      hops: hopsOf.get(nameOf([block, transaction, position])) ?? [],
    }
  })
}

/** In log order. Pools are read first, because the groups of rows of others are then left out. */
async function hopsAt(source: Source, isThere: string): Promise<Map<string, LakeSwap['hops'][number][]>> {
  const hops = source.from('hops')
  const keys = (await all(source, `SELECT DISTINCT pool_key::VARCHAR FROM ${hops} WHERE ${isThere}`)).map(
    ([key]) => key,
  )
  const found = new Map<string, LakeSwap['hops'][number][]>()
  if (keys.length === 0) return found
  const rows = await all(
    source,
    `SELECT ${PLACE}, log_index, pool_key::VARCHAR, ${digitsOf('token_in')}, ${digitsOf('amount_in')}, ${digitsOf('token_out')}, ${digitsOf('amount_out')},
      volume_usd::VARCHAR, flags
    FROM ${hops} WHERE pool_key IN (${keys.join()}) AND ${isThere} ORDER BY block_number, log_index`,
  )
  for (const [block, transaction, position, log, key, tokenIn, amountIn, tokenOut, amountOut, usd, flags] of rows) {
    const name = nameOf([block, transaction, position])
    const hop = {
      blockNumber: Number(block),
      transactionIndex: Number(transaction),
      position: Number(position),
      logIndex: Number(log),
      poolKey: String(key),
      tokenIn: hexOf(tokenIn),
      amountIn: amountOf(amountIn),
      tokenOut: hexOf(tokenOut),
      amountOut: amountOf(amountOut),
      volumeUsd: textOf(usd),
      flags: Number(flags),
    }
    const others = found.get(name)
    if (others === undefined) found.set(name, [hop])
    else others.push(hop)
  }
  return found
}

const nameOf = (place: readonly unknown[]) => place.join(' ')

async function all(source: Source, sql: string): Promise<(readonly unknown[])[]> {
  const rows = []
  for await (const row of source.rows(sql)) rows.push(row)
  return rows
}

function orderOf(ascending: boolean): string {
  return PLACE.split(', ')
    .map((column) => `${column} ${ascending ? 'ASC' : 'DESC'}`)
    .join()
}

function digitsOf(column: string): string {
  return `lower(hex(${column}))`
}

function hexOf(digits: unknown): Hex {
  return `0x${digits}`
}

function amountOf(digits: unknown): string {
  return String(BigInt(`0x${digits}`))
}

function textOf(value: unknown): string | null {
  return value === null ? null : String(value)
}
