import {
  type Address,
  type ConcentratedState,
  NETWORKS,
  type NetworkName,
  type Pool,
  type PoolState,
  type PoolStateAt,
  type TickLiquidityAt,
} from '@dexfeed/dex'
import type { PoolClient } from 'pg'
import { byteaText } from '../hex.ts'
import { type TextRow, textRows } from './read-session.ts'

const PAGE_ROWS = 20_000

/** Pool state of a network, as of one moment. */
export interface MarketRows {
  states: PoolStateAt[]
  ticks: TickLiquidityAt[]
}

/** The newest version of every pool state (pool_state_pkey) and of every initialised tick (pool_tick_pkey). */
export async function readAllMarketRows(
  client: PoolClient,
  network: NetworkName,
  pageRows = PAGE_ROWS,
): Promise<MarketRows> {
  const { chainId } = NETWORKS[network]
  const states = await allPages(
    (after) =>
      textRows(
        client,
        `SELECT DISTINCT ON (pool) ${STATE_COLUMNS} FROM pool_state
         WHERE chain_id = $1 AND pool > $2::text::bytea ORDER BY pool, block_number DESC LIMIT ${pageRows}`,
        [chainId, after?.[0] ?? '\\x'],
      ),
    toState,
    pageRows,
  )
  const ticks = await allPages(
    (after) =>
      textRows(
        client,
        `SELECT DISTINCT ON (pool, tick) ${TICK_COLUMNS} FROM pool_tick
         WHERE chain_id = $1 AND (pool, tick) > ($2::text::bytea, $3) ORDER BY pool, tick, block_number DESC
         LIMIT ${pageRows}`,
        [chainId, after?.[0] ?? '\\x', after?.[1] ?? 0],
      ),
    toTick,
    pageRows,
  )
  return { states, ticks: ticks.filter((tick) => tick.gross !== 0n) }
}

/** The newest versions of what was written after `revision` (pool_state_revision_idx, pool_tick_revision_idx). */
export async function readChangedMarketRows(
  client: PoolClient,
  network: NetworkName,
  revision: number,
): Promise<MarketRows> {
  const values = [NETWORKS[network].chainId, revision]
  const states = await textRows(
    client,
    `SELECT DISTINCT ON (pool) ${STATE_COLUMNS} FROM pool_state
     WHERE chain_id = $1 AND revision > $2 ORDER BY pool, block_number DESC`,
    values,
  )
  const ticks = await textRows(
    client,
    `SELECT DISTINCT ON (pool, tick) ${TICK_COLUMNS} FROM pool_tick
     WHERE chain_id = $1 AND revision > $2 ORDER BY pool, tick, block_number DESC`,
    values,
  )
  return { states: states.map(toState), ticks: ticks.map(toTick) }
}

interface PoolRow {
  address: string
  dex: string
  factory: string
  token0: string
  token1: string
  fee: number
  tick_spacing: number | null
}

/** The pools of the addresses (pool_pkey). */
export async function readPools(
  client: PoolClient,
  network: NetworkName,
  addresses: readonly Address[],
): Promise<Pool[]> {
  const pools: Pool[] = []
  for (let at = 0; at < addresses.length; at += PAGE_ROWS) {
    const { rows } = await client.query<PoolRow>(
      `SELECT encode(address, 'hex') AS address, dex, encode(factory, 'hex') AS factory,
         encode(token0, 'hex') AS token0, encode(token1, 'hex') AS token1, fee, tick_spacing
       FROM pool WHERE chain_id = $1 AND address = ANY ($2::text[]::bytea[])`,
      [NETWORKS[network].chainId, addresses.slice(at, at + PAGE_ROWS).map(byteaText)],
    )
    pools.push(...rows.map(toPool))
  }
  return pools
}

const STATE_COLUMNS =
  'pool, block_number, reserve0, reserve1, sqrt_price_x96, tick, liquidity, fee_zero_for_one, fee_one_for_zero, fee_exact'
const TICK_COLUMNS = 'pool, tick, block_number, gross, net'

async function allPages<T>(
  read: (after: TextRow | undefined) => Promise<TextRow[]>,
  convert: (row: TextRow) => T,
  pageRows: number,
): Promise<T[]> {
  const all: T[] = []
  let after: TextRow | undefined
  for (;;) {
    const rows = await read(after)
    for (const row of rows) all.push(convert(row))
    if (rows.length < pageRows) return all
    after = rows.at(-1)
  }
}

function toState(row: TextRow): PoolStateAt {
  const [pool, block, reserve0, reserve1, sqrtPriceX96, tick, liquidity, ...fee] = row
  const state: PoolState =
    reserve0 !== null && reserve0 !== undefined
      ? { kind: 'pair', reserve0: BigInt(reserve0), reserve1: BigInt(reserve1 ?? 0) }
      : {
          kind: 'concentrated',
          sqrtPriceX96: BigInt(sqrtPriceX96 ?? 0),
          tick: Number(tick),
          liquidity: BigInt(liquidity ?? 0),
          ...toFee(fee),
        }
  return { pool: `0x${pool?.slice(2) ?? ''}`, blockNumber: Number(block), state }
}

function toFee([zeroForOne, oneForZero, exact]: TextRow): Pick<ConcentratedState, 'fee'> {
  if (typeof zeroForOne !== 'string' || typeof oneForZero !== 'string') return {}
  return { fee: { zeroForOne: Number(zeroForOne), oneForZero: Number(oneForZero), exact: exact === 't' } }
}

function toTick(row: TextRow): TickLiquidityAt {
  const [pool, tick, block, gross, net] = row
  return {
    pool: `0x${pool?.slice(2) ?? ''}`,
    tick: Number(tick),
    blockNumber: Number(block),
    gross: BigInt(gross ?? 0),
    net: BigInt(net ?? 0),
  }
}

/** The table keeps the DEX's name; of its kind a quote needs only what the pool itself tells. */
function toPool(row: PoolRow): Pool {
  return {
    address: `0x${row.address}`,
    dex: {
      name: row.dex,
      kind: row.tick_spacing === null ? 'uniswap-v2' : 'uniswap-v3',
      factory: `0x${row.factory}`,
    },
    token0: `0x${row.token0}`,
    token1: `0x${row.token1}`,
    fee: row.fee,
    tickSpacing: row.tick_spacing,
  }
}
