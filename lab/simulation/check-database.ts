import { NETWORK_NAMES, NETWORKS } from '@dexfeed/dex'
import type { ScriptedChain } from '@dexfeed/fake-node'
import { type Database, openIndexerStore } from '@dexfeed/store'
import { usd } from '@dexfeed/test/expected/responses'
import type { Pool } from 'pg'
import { type Expected, expectedOf, poolsOf } from './oracle.ts'

const SWAPS = `SELECT concat_ws(' ', chain_id, block_number, transaction_index, position,
  extract(epoch FROM block_time)::bigint, encode(tx_hash, 'hex'), encode(trader, 'hex'), encode(sell_token, 'hex'),
  sell_native::text, sell_amount, encode(buy_token, 'hex'), buy_native::text, buy_amount, coalesce(volume_usd::text, '')) AS line
  FROM swap`
const STATES = `SELECT DISTINCT ON (chain_id, pool)
  concat_ws(' ', chain_id, encode(pool, 'hex'), reserve0, reserve1, sqrt_price_x96, tick, liquidity) AS line
  FROM pool_state ORDER BY chain_id, pool, block_number DESC`
const TICKS = `SELECT concat_ws(' ', chain_id, encode(pool, 'hex'), tick, gross, net) AS line FROM (
  SELECT DISTINCT ON (chain_id, pool, tick) * FROM pool_tick ORDER BY chain_id, pool, tick, block_number DESC) AS newest
  WHERE gross > 0`
const COVERED = `SELECT concat_ws(' ', chain_id, from_block, to_block) AS line FROM covered_range`
const HEADS = `SELECT concat_ws(' ', chain_id, head_number, encode(head_hash, 'hex'), coalesce(degraded, '')) AS line FROM network`
const TOTALS = `SELECT concat_ws(' ', day::text, chain_id, swaps, unpriced, volume_usd::text) AS line FROM day_total`
const TRADERS = `SELECT concat_ws(' ', day::text, encode(trader, 'hex'), networks) AS line FROM day_trader`
const ADDRESSES = `SELECT concat_ws(' ', day::text, sum(addresses)) AS line FROM day_address_count GROUP BY day`
const TOKENS = `SELECT concat_ws(' ', chain_id, encode(address, 'hex'), symbol, decimals) AS line FROM token`
const POOLS = `SELECT concat_ws(' ', chain_id, encode(address, 'hex'), dex, encode(token0, 'hex'), encode(token1, 'hex'), fee,
  tick_spacing) AS line FROM pool`
const BLOCKS = `SELECT concat_ws(' ', chain_id, number, encode(hash, 'hex'), encode(parent_hash, 'hex')) AS line FROM block`

const SHOWN = 6

/**
 * Compares a database with the chains that it was made from.
 *
 * @returns one text per table that differs
 */
export async function checkDatabase(pool: Pool, chains: readonly ScriptedChain[]): Promise<string[]> {
  const expected = chains.map((chain) => ({ chain, ...expectedOf(chain) }))
  const headOf = ({ blocks }: ScriptedChain) => blocks.at(-1)
  const stored = await linesOf(pool, BLOCKS)
  const canonical = new Set(
    chains.flatMap(({ chainId, blocks }) =>
      blocks.map(({ number, hash, parentHash }) => `${chainId} ${number} ${hash.slice(2)} ${parentHash.slice(2)}`),
    ),
  )
  const days = expected.flatMap((one) => one.days)
  const tables: [table: string, query: string, expected: readonly string[]][] = [
    ['swap', SWAPS, expected.flatMap(({ swaps }) => swaps)],
    ['pool_state', STATES, expected.flatMap(({ poolStates }) => poolStates)],
    ['pool_tick', TICKS, expected.flatMap(({ poolTicks }) => poolTicks)],
    ['covered_range', COVERED, chains.map((chain) => `${chain.chainId} 0 ${headOf(chain)?.number}`)],
    [
      'network',
      HEADS,
      chains.map((chain) => `${chain.chainId} ${headOf(chain)?.number} ${headOf(chain)?.hash.slice(2)} `),
    ],
    ['day_total', TOTALS, expected.flatMap((one) => totalsOf(one.chain.chainId, one.days))],
    ['token', TOKENS, chains.flatMap(tokensOf)],
    ['pool', POOLS, chains.flatMap(poolLinesOf)],
    ['day_trader', TRADERS, tradersOf(expected)],
    ['day_address_count', ADDRESSES, addressesOf(days)],
  ]
  const differences = await Promise.all(tables.map((one) => compare(pool, ...one)))
  const orphaned = stored.filter((line) => !canonical.has(line))
  return [
    ...differences.flat(),
    ...(orphaned.length > 0 ? [`block: not of the chain: ${orphaned.slice(0, SHOWN).join(', ')}`] : []),
  ]
}

/**
 * Compares the counters of all days, and their candles, with the rows.
 *
 * @returns one text per counter that differs
 */
export async function checkCounters(database: Database): Promise<string[]> {
  const { rows } = await database.pool.query<{ day: number }>(
    `SELECT DISTINCT day - DATE '1970-01-01' AS day FROM day_total`,
  )
  const { compareDay } = openIndexerStore(database, 'eth')
  const found = await Promise.all(rows.map(({ day }) => compareDay(day)))
  const texts = found
    .flat()
    .map(({ day, table, key, stored, counted }) => `${day} ${table} ${key}: ${stored}, not ${counted}`)
  return texts.slice(0, SHOWN)
}

async function linesOf(pool: Pool, query: string): Promise<string[]> {
  const { rows } = await pool.query<{ line: string }>(query)
  return rows.map(({ line }) => line)
}

async function compare(pool: Pool, table: string, query: string, expected: readonly string[]): Promise<string[]> {
  const found = await linesOf(pool, query)
  const [known, there] = [new Set(expected), new Set(found)]
  const missing = expected.filter((line) => !there.has(line))
  const extra = found.filter((line) => !known.has(line))
  if (missing.length + extra.length === 0 && found.length === expected.length) return []
  const some = (lines: readonly string[]) => lines.slice(0, SHOWN).join('\n    ')
  return [
    `${table}: ${found.length} rows, expected ${expected.length}\n  missing ${missing.length}:\n    ${some(missing)}\n  extra ${extra.length}:\n    ${some(extra)}`,
  ]
}

function tokensOf({ chainId, market }: ScriptedChain): string[] {
  return market.tokens.map(({ address, symbol, decimals }) => `${chainId} ${address.slice(2)} ${symbol} ${decimals}`)
}

function poolLinesOf({ chainId, market }: ScriptedChain): string[] {
  const spacings = new Map<string, number | null>(
    market.pools.map(({ address, tickSpacing }) => [address, tickSpacing]),
  )
  return [...poolsOf(market).values()].map(({ address, dex, token0, token1, fee }) => {
    const spacing = spacings.get(address) ?? null
    const place = [chainId, address.slice(2), dex, token0.slice(2), token1.slice(2), fee]
    return [...place, ...(spacing === null ? [] : [spacing])].join(' ')
  })
}

function totalsOf(chainId: number, days: Expected['days']): string[] {
  return [...byDay(days)].map(([day, trades]) => {
    const total = trades.reduce((sum, { usdE8 }) => sum + (usdE8 ?? 0n), 0n)
    return `${day} ${chainId} ${trades.length} ${trades.filter(({ usdE8 }) => usdE8 === null).length} ${usd(total)}`
  })
}

/** A line per day and trader, with the set of networks. */
function tradersOf(expected: readonly ({ chain: ScriptedChain } & Pick<Expected, 'days'>)[]): string[] {
  const sets = new Map<string, number>()
  for (const { chain, days } of expected) {
    const bit = 2 ** NETWORK_NAMES.findIndex((name) => NETWORKS[name].chainId === chain.chainId)
    for (const { day, trader } of days) {
      const key = `${day} ${trader.slice(2)}`
      sets.set(key, (sets.get(key) ?? 0) | bit)
    }
  }
  return [...sets].map(([key, set]) => `${key} ${set}`)
}

function addressesOf(days: Expected['days']): string[] {
  return [...byDay(days)].map(([day, trades]) => `${day} ${new Set(trades.map(({ trader }) => trader)).size}`)
}

function byDay(days: Expected['days']): Map<string, Expected['days']> {
  const groups = new Map<string, Expected['days']>()
  for (const one of days) groups.set(one.day, [...(groups.get(one.day) ?? []), one])
  return groups
}
