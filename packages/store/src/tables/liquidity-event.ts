import {
  type Address,
  type BlockRange,
  coinsOf,
  type Hex,
  NETWORK_NAMES,
  NETWORKS,
  type NetworkName,
  type PoolAddress,
  type PricedMove,
  startOfDay,
  usdE8Of,
  usdText,
} from '@dexfeed/dex'
import type { Db, Reads } from '../database/transaction.ts'
import { type LiquidityEvent, Prisma } from '../generated/client.ts'
import {
  byteaList,
  byteaText,
  comparedValues,
  hexOf,
  inBlocks,
  json,
  readRows,
  readTogether,
  type Stored,
  type StoredRow,
  secondsOf,
  timeOf,
} from '../stored.ts'
import { COPIED_CHAIN, COPIED_DAY, type CopiedRows } from './copied-rows.ts'
import { isOfKeptDay } from './kept-days.ts'
import { intervalOf, ofDay } from './rollups/merge-candles.ts'
import { CELL_BLOCKS } from './swap/list-cell.ts'
import { keyOf } from './swap/pool-key.ts'

/** Columns compared between a stored event and the chain. */
export const LIQUIDITY_COLUMNS = [
  ...(['block_time', 'tx_hash', 'account', 'pool', 'added', 'amounts'] as const),
  ...(['liquidity', 'tick_lower', 'tick_upper', 'value_usd'] as const),
] as const satisfies (keyof Stored<LiquidityEvent>)[]

function toRow(chainId: number, move: PricedMove): Stored<LiquidityEvent> {
  const { account, amounts, range, usdE8 } = move
  return {
    block_time: timeOf(move.timestamp).toISOString(),
    block_number: move.blockNumber,
    chain_id: chainId,
    log_index: move.logIndex,
    transaction_index: move.transactionIndex,
    tick_lower: range?.tickLower ?? null,
    tick_upper: range?.tickUpper ?? null,
    added: move.isAdded,
    tx_hash: byteaText(move.txHash),
    account: account && byteaText(account),
    pool: byteaText(move.pool),
    amounts: (amounts ?? []).map(String),
    liquidity: range && String(range.liquidity),
    value_usd: usdE8 === null ? null : usdText(usdE8),
  }
}

export async function insertLiquidity(tx: Db, chainId: number, moves: readonly PricedMove[]): Promise<void> {
  if (moves.length === 0) return
  const rows = json(moves.map((move) => toRow(chainId, move)))
  await tx.$executeRaw`
    INSERT INTO liquidity_event SELECT * FROM json_populate_recordset(NULL::liquidity_event, ${rows})
    WHERE ${isOfKeptDay(Prisma.sql`block_time`)}`
}

export async function deleteLiquidity(tx: Db, chainId: number, { from, to }: BlockRange): Promise<void> {
  await tx.liquidityEvent.deleteMany({ where: { chainId, blockNumber: { gte: from, lte: to } } })
}

/** Names the networks, so that the index of times is used. */
export async function deleteLiquidityBefore(db: Db, day: number): Promise<void> {
  const chainIds = NETWORK_NAMES.map((name) => NETWORKS[name].chainId)
  await db.liquidityEvent.deleteMany({
    where: { chainId: { in: chainIds }, blockTime: { lt: timeOf(startOfDay(day)) } },
  })
}

/**
 * Reads what was added to pools less what was removed, in USD times 10^8, of those that were created after `since`
 * (seconds).
 */
export async function readNewLiquidity(
  db: Reads,
  chainId: number,
  pools: readonly PoolAddress[],
  since: number,
): Promise<Map<PoolAddress, bigint>> {
  if (pools.length === 0) return new Map()
  const rows = await readRows<{ pool: string; value: string }>(db, newLiquidity(chainId, pools, since))
  return new Map(rows.map(({ pool, value }) => [hexOf(pool), usdE8Of(value)]))
}

/**
 * Looks up each pool with pool_creation_pkey and liquidity_event_pool_idx, also without statistics: OFFSET keeps the
 * network away from the events, whose other indices begin with it.
 */
export function newLiquidity(chainId: number, pools: readonly PoolAddress[], since: number): Prisma.Sql {
  return Prisma.sql`
    SELECT created.pool, summed.value
    FROM (${byteaList(pools)}) AS grown (pool)
    CROSS JOIN LATERAL (
      SELECT pool FROM pool_creation
      WHERE chain_id = ${chainId} AND pool = grown.pool AND block_time > to_timestamp(${since}) LIMIT 1
    ) AS created
    CROSS JOIN LATERAL (
      SELECT sum(CASE WHEN added THEN value_usd ELSE -value_usd END)::text AS value
      FROM (SELECT chain_id, added, value_usd FROM liquidity_event WHERE pool = created.pool OFFSET 0) AS event
      WHERE chain_id = ${chainId}
    ) AS summed
    WHERE summed.value IS NOT NULL`
}

/** Numerics as text. The casts override columns of `*`: JSON keeps the last of two values with the same name. */
const ROW = Prisma.sql`event.*, amounts::text[], liquidity::text, value_usd::text`

/** Returns a range's events to be compared; the position is that of the log. */
export async function readStoredLiquidity(db: Db, chainId: number, range: BlockRange): Promise<StoredRow[]> {
  const query = Prisma.sql`SELECT ${ROW} FROM liquidity_event AS event
    WHERE ${inBlocks(chainId, range)} ORDER BY block_number, log_index`
  return (await readRows<Stored<LiquidityEvent>>(db, query)).map(toStored)
}

export function asStoredLiquidity(move: PricedMove): StoredRow {
  return toStored(toRow(0, move))
}

function toStored(row: Stored<LiquidityEvent>): StoredRow {
  return {
    blockNumber: Number(row.block_number),
    transactionIndex: row.transaction_index,
    position: row.log_index,
    values: comparedValues(LIQUIDITY_COLUMNS, row),
  }
}

/** A place between two events: after the one with these values, if there is one. `time` is in seconds. */
export interface LiquidityPlace {
  time: number
  blockNumber: number
  logIndex: number
}

interface LiquidityFilter {
  pool?: PoolAddress
  account?: Address
  isAdded?: boolean
  /** Seconds; `until` is excluded. */
  since?: number
  until?: number
  /** A decimal number. */
  minUsd?: string
}

export interface LiquiditySearch {
  network: NetworkName
  filter: LiquidityFilter
  ascending: boolean
  from: LiquidityPlace | null
  limit: number
}

/** Amounts, liquidity and `valueUsd` are decimals, as text. */
export interface FoundLiquidity extends LiquidityPlace {
  network: NetworkName
  transactionIndex: number
  txHash: Hex
  account: Address | null
  pool: PoolAddress
  dex: string
  coins: readonly Address[]
  isAdded: boolean
  /** By coin of the pool; null if unknown. */
  amounts: readonly string[] | null
  range: { tickLower: number; tickUpper: number; liquidity: string } | null
  valueUsd: string | null
}

/** Rows that a page examines if a filter has no index. */
const SCAN_ROWS = 10_000

/**
 * Returns a page of events, by the index of the pool, else of the account, else of the network's times. With other
 * filters, the page may be short although events follow after `reached`.
 */
export async function findLiquidity(
  db: Reads,
  { network, filter, ascending, from, limit }: LiquiditySearch,
): Promise<{ rows: FoundLiquidity[]; reached: LiquidityPlace | null }> {
  const direction = ascending ? Prisma.sql`ASC` : Prisma.sql`DESC`
  const order = Prisma.sql`ORDER BY block_time ${direction}, block_number ${direction}, log_index ${direction}`
  const looked = [Prisma.sql`chain_id = ${NETWORKS[network].chainId}`, ...lookedUp(filter)]
  if (from !== null) {
    const place = Prisma.sql`(to_timestamp(${from.time}), ${from.blockNumber}::bigint, ${from.logIndex}::int)`
    const beyond = ascending ? Prisma.sql`>` : Prisma.sql`<=`
    looked.push(Prisma.sql`(block_time, block_number, log_index) ${beyond} ${place}`)
  }
  const examined = examinedBy(filter)
  // One row beyond the page shows whether another page follows.
  const rows = examined.length === 0 ? limit + 1 : SCAN_ROWS
  const scanned = Prisma.sql`SELECT * FROM liquidity_event WHERE ${Prisma.join(looked, ' AND ')} ${order} LIMIT ${rows}`
  const matching = Prisma.sql`SELECT * FROM (${scanned}) AS scanned
    WHERE ${Prisma.join([Prisma.sql`true`, ...examined], ' AND ')} ${order} LIMIT ${limit + 1}`
  const found = await readTogether<{ rows: PageRow; last: Stored<LiquidityEvent> }>(db, {
    rows: Prisma.sql`${withPool(matching)} ${order}`,
    last: Prisma.sql`SELECT * FROM (${scanned}) AS scanned OFFSET ${rows - 1}`,
  })
  const page = found.rows.slice(0, limit)
  const last = found.rows.length > limit ? page.at(-1) : found.last[0]
  return {
    rows: page.map((row) => toFound(network, row)),
    reached: last === undefined ? null : placeBeyond(last, ascending),
  }
}

/** Returns the events of some blocks, in order. */
export async function liquidityOfBlocks(
  db: Db,
  network: NetworkName,
  range: BlockRange,
  limit: number,
): Promise<FoundLiquidity[]> {
  const order = Prisma.sql`ORDER BY block_number, log_index`
  const events = Prisma.sql`SELECT * FROM liquidity_event
    WHERE ${inBlocks(NETWORKS[network].chainId, range)} ${order} LIMIT ${limit}`
  const rows = await readRows<PageRow>(db, Prisma.sql`${withPool(events)} ${order}`)
  return rows.map((row) => toFound(network, row))
}

export interface LiquiditySelection {
  network: NetworkName
  pool: PoolAddress
  /** Number of the pool's coins. */
  coins: number
  /** Seconds, as are `from` and `to`, which is excluded. */
  interval: number
  from: number
  to: number
}

/** What the additions, or the removals, of an interval moved. */
export interface LiquiditySum {
  /** Start of the interval, in seconds. */
  time: number
  isAdded: boolean
  events: number
  /** By coin of the pool; null if an event does not tell its amounts. */
  amounts: readonly bigint[] | null
  /** A decimal, as text; null if the value of an event is unknown. */
  usd: string | null
}

/** Returns the sums of a pool's events, in ascending order, without intervals that have none. */
export async function readLiquiditySums(
  db: Reads,
  { network, pool, coins, interval, from, to }: LiquiditySelection,
): Promise<LiquiditySum[]> {
  // Older rows lack coins that became known later.
  const amounts = Array.from({ length: coins }, (_, at) => Prisma.sql`sum(coalesce(amounts[${at + 1}], 0))`)
  const query = Prisma.sql`
    SELECT extract(epoch FROM ${intervalOf(interval, Prisma.sql`block_time`)})::float8 AS time, added AS "isAdded",
      count(*)::float8 AS events,
      CASE WHEN bool_and(amounts <> '{}') THEN ARRAY[${Prisma.join(amounts)}]::text[] END AS amounts,
      CASE WHEN count(value_usd) = count(*) THEN round(sum(value_usd), 8)::text END AS usd
    FROM liquidity_event
    WHERE pool = ${byteaText(pool)}::bytea AND chain_id = ${NETWORKS[network].chainId}
      AND block_time >= to_timestamp(${from}) AND block_time < to_timestamp(${to})
    GROUP BY 1, 2 ORDER BY 1, 2`
  const rows = await readRows<Omit<LiquiditySum, 'amounts'> & { amounts: string[] | null }>(db, query)
  return rows.map((row) => ({ ...row, amounts: row.amounts?.map(BigInt) ?? null }))
}

/** Returns the list cells with events of pools that trade these tokens. */
export async function cellsOfLiquidity(tx: Db, chainId: number, tokens: readonly Address[]): Promise<number[]> {
  const addresses = Prisma.sql`(${tokens.map(byteaText)}::text[]::bytea[])`
  const trading = ['token0 = ANY', 'token1 = ANY', 'cardinality(coins) + cardinality(underlying) > 0 AND coins &&'].map(
    (condition) =>
      Prisma.sql`SELECT address FROM pool WHERE chain_id = ${chainId} AND ${Prisma.raw(condition)} ${addresses}`,
  )
  const query = Prisma.sql`
    SELECT DISTINCT block_number / ${CELL_BLOCKS}::bigint AS cell
    FROM (${Prisma.join(trading, ' UNION ')}) AS trading
    CROSS JOIN LATERAL (SELECT chain_id, block_number FROM liquidity_event WHERE pool = address OFFSET 0) AS event
    WHERE chain_id = ${chainId}`
  const rows = await readRows<{ cell: number }>(tx, query)
  return rows.map(({ cell }) => cell)
}

function lookedUp({ pool, account, since, until }: LiquidityFilter): Prisma.Sql[] {
  const conditions: Prisma.Sql[] = []
  if (pool !== undefined) conditions.push(Prisma.sql`pool = ${byteaText(pool)}::bytea`)
  else if (account !== undefined) conditions.push(Prisma.sql`account = ${byteaText(account)}::bytea`)
  if (since !== undefined) conditions.push(Prisma.sql`block_time >= to_timestamp(${since})`)
  if (until !== undefined) conditions.push(Prisma.sql`block_time < to_timestamp(${until})`)
  return conditions
}

function examinedBy({ pool, account, isAdded, minUsd }: LiquidityFilter): Prisma.Sql[] {
  const conditions: Prisma.Sql[] = []
  if (pool !== undefined && account !== undefined) conditions.push(Prisma.sql`account = ${byteaText(account)}::bytea`)
  if (isAdded !== undefined) conditions.push(Prisma.sql`added = ${isAdded}`)
  if (minUsd !== undefined) conditions.push(Prisma.sql`value_usd >= ${minUsd}::numeric`)
  return conditions
}

type PageRow = Stored<LiquidityEvent> & { dex: string; token0: string; token1: string; coins: string[] }

/** Commits store pools together with their events. */
function withPool(events: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`SELECT ${ROW}, pool.dex, pool.token0, pool.token1, pool.coins FROM (${events}) AS event
    JOIN pool ON pool.chain_id = event.chain_id AND pool.address = event.pool`
}

function placeBeyond(row: Stored<LiquidityEvent>, ascending: boolean): LiquidityPlace {
  const { logIndex, ...place } = placeOf(row)
  return { ...place, logIndex: ascending ? logIndex : logIndex - 1 }
}

function placeOf(row: Stored<LiquidityEvent>): LiquidityPlace {
  return { time: secondsOf(row.block_time), blockNumber: Number(row.block_number), logIndex: row.log_index }
}

function toFound(network: NetworkName, row: PageRow): FoundLiquidity {
  const { liquidity, tick_lower: tickLower, tick_upper: tickUpper, dex } = row
  const isInRange = liquidity !== null && tickLower !== null && tickUpper !== null
  const coins = { token0: hexOf(row.token0), token1: hexOf(row.token1), coins: row.coins.map(hexOf) }
  return {
    ...placeOf(row),
    network,
    transactionIndex: row.transaction_index,
    txHash: hexOf(row.tx_hash),
    account: row.account === null ? null : hexOf(row.account),
    pool: hexOf(row.pool),
    dex,
    coins: coinsOf(coins),
    isAdded: row.added,
    amounts: row.amounts.length === 0 ? null : row.amounts,
    range: isInRange ? { tickLower, tickUpper, liquidity } : null,
    valueUsd: row.value_usd,
  }
}

const COPIED_EVENTS = Prisma.sql`SELECT * FROM liquidity_event
    WHERE chain_id = ${COPIED_CHAIN} AND ${ofDay(COPIED_DAY, Prisma.sql`block_time`)}`

/** In any order. */
export const COPIED_LIQUIDITY: CopiedRows = {
  columns: {
    pool: 'hex',
    block_number: 'bigint',
    transaction_index: 'integer',
    log_index: 'integer',
    block_time: 'time',
    tx_hash: 'hex',
    account: 'hex',
    added: 'boolean',
    amounts: 'amounts',
    liquidity: 'amount',
    tick_lower: 'integer',
    tick_upper: 'integer',
    value_usd: 'usd',
  },
  rows: COPIED_EVENTS,
}

export const COPIED_POOLS_OF_LIQUIDITY = Prisma.sql`SELECT ${keyOf('pool')} FROM (${COPIED_EVENTS}) AS event`
