import type { Address } from '@dexfeed/dex'
import { type Database, openIndexerStore } from '@dexfeed/store'
import { compareRows, compareTable, expectedRows, type Queries } from '@dexfeed/test/expected/rows'
import type { Pool } from 'pg'
import type { PoolState } from '../chain/pool-math.ts'
import { poolsOf, scriptedRows, stateText, tickTexts } from '../expected.ts'
import type { ScriptedChain } from '../index.ts'

const STATES = `SELECT DISTINCT ON (chain_id, pool)
  concat_ws(' ', chain_id, encode(pool, 'hex'), reserve0, reserve1, sqrt_price_x96, tick, liquidity) AS line
  FROM pool_state ORDER BY chain_id, pool, block_number DESC`
const TICKS = `SELECT concat_ws(' ', chain_id, encode(pool, 'hex'), tick, gross, net) AS line FROM (
  SELECT DISTINCT ON (chain_id, pool, tick) * FROM pool_tick ORDER BY chain_id, pool, tick, block_number DESC) AS newest
  WHERE gross > 0`
const COVERED = `SELECT concat_ws(' ', chain_id, from_block, to_block) AS line FROM covered_range`
const HEADS = `SELECT concat_ws(' ', chain_id, head_number, encode(head_hash, 'hex'), coalesce(degraded, '')) AS line FROM network`
const TOKENS = `SELECT concat_ws(' ', chain_id, encode(address, 'hex'), symbol, decimals) AS line FROM token`
const POOLS = `SELECT concat_ws(' ', chain_id, encode(address, 'hex'), dex, encode(token0, 'hex'), encode(token1, 'hex'), fee,
  tick_spacing) AS line FROM pool`
const CREATIONS = `SELECT concat_ws(' ', chain_id, encode(pool, 'hex'), block_number, extract(epoch FROM block_time)::bigint,
  transaction_index, encode(tx_hash, 'hex'), encode(creator, 'hex')) AS line FROM pool_creation`
const BLOCKS = `SELECT concat_ws(' ', chain_id, number, encode(hash, 'hex'), encode(parent_hash, 'hex')) AS line FROM block`

const SHOWN = 6

/** Returns one text per table that differs from the chains. */
export async function checkDatabase(pool: Pool, chains: readonly ScriptedChain[]): Promise<string[]> {
  const all = (linesOf: (chain: ScriptedChain) => readonly string[]) => chains.flatMap(linesOf)
  const headOf = ({ blocks }: ScriptedChain) => blocks.at(-1)
  const differences = [
    await compareRows(pool, expectedRows(chains.map(scriptedRows))),
    await compareStates(
      pool,
      chains.map(({ chainId, blocks }) => ({ chainId, states: blocks.at(-1)?.states ?? [] })),
    ),
    await compareTable(
      pool,
      ['covered_range', COVERED],
      all((chain) => [`${chain.chainId} 0 ${headOf(chain)?.number}`]),
    ),
    await compareTable(
      pool,
      ['network', HEADS],
      all((chain) => [`${chain.chainId} ${headOf(chain)?.number} ${headOf(chain)?.hash.slice(2)} `]),
    ),
    await compareTable(pool, ['token', TOKENS], all(tokenLines)),
    await compareTable(pool, ['pool', POOLS], all(poolLines)),
    await compareTable(pool, ['pool_creation', CREATIONS], all(creationLines)),
  ]
  const { rows: stored } = await pool.query<{ line: string }>(BLOCKS)
  const canonical = new Set(
    all(({ chainId, blocks }) =>
      blocks.map(({ number, hash, parentHash }) => `${chainId} ${number} ${hash.slice(2)} ${parentHash.slice(2)}`),
    ),
  )
  const orphaned = stored.map(({ line }) => line).filter((line) => !canonical.has(line))
  return [
    ...differences.flat(),
    ...(orphaned.length > 0 ? [`block: not of the chain: ${orphaned.slice(0, SHOWN).join(', ')}`] : []),
  ]
}

/** Compares the newest state and ticks of each pool. */
export async function compareStates(
  database: Queries,
  chains: readonly { chainId: number; states: Iterable<readonly [Address, PoolState]> }[],
): Promise<string[]> {
  const lines = (textsOf: (state: PoolState) => readonly string[]) =>
    chains.flatMap(({ chainId, states }) =>
      [...states].flatMap(([pool, state]) => textsOf(state).map((text) => `${chainId} ${pool.slice(2)} ${text}`)),
    )
  return [
    ...(await compareTable(
      database,
      ['pool_state', STATES],
      lines((state) => [stateText(state)]),
    )),
    ...(await compareTable(database, ['pool_tick', TICKS], lines(tickTexts))),
  ]
}

export async function checkCounters(database: Database): Promise<string[]> {
  const { rows } = await database.pool.query<{ day: number }>(
    `SELECT day - DATE '1970-01-01' AS day FROM day_total
     UNION SELECT (block_time AT TIME ZONE 'UTC')::date - DATE '1970-01-01' FROM swap`,
  )
  const { compareDay } = openIndexerStore(database, 'eth')
  const found = await Promise.all(rows.map(({ day }) => compareDay(day)))
  const texts = found
    .flat()
    .map(({ day, table, key, stored, counted }) => `${day} ${table} ${key}: ${stored}, not ${counted}`)
  return texts.slice(0, SHOWN)
}

function tokenLines({ chainId, market }: ScriptedChain): string[] {
  return market.tokens.map(({ address, symbol, decimals }) => `${chainId} ${address.slice(2)} ${symbol} ${decimals}`)
}

/** The factory's event names the pool in its last word, and the pool's own event follows. */
function creationLines({ chainId, market, blocks }: ScriptedChain): string[] {
  return blocks.flatMap(({ number, timestamp, transactions }) =>
    transactions.flatMap(({ index, hash, from, logs }) => {
      const [created, first] = logs
      if (created === undefined || first === undefined || !market.isFactory(created.address)) return []
      const place = [number, timestamp, index, hash.slice(2), from?.slice(2)]
      return [[chainId, first.address.slice(2), ...place].join(' ')]
    }),
  )
}

function poolLines({ chainId, market }: ScriptedChain): string[] {
  const spacings = new Map<string, number | null>(
    market.pools.map(({ address, tickSpacing }) => [address, tickSpacing]),
  )
  return [...poolsOf(market).values()].map(({ address, dex, token0, token1, fee }) => {
    const spacing = spacings.get(address) ?? null
    const place = [chainId, address.slice(2), dex, token0.slice(2), token1.slice(2), fee]
    return [...place, ...(spacing === null ? [] : [spacing])].join(' ')
  })
}
