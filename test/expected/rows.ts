import { type Deployment, NETWORK_NAMES, NETWORKS, type NetworkName } from '@dexfeed/dex'
import { pricedTrades } from './chain-facts.ts'
import type { RecordedBlock } from './chain-record.ts'
import type { VerifiedPool } from './pool-events.ts'
import { dateOf, usd } from './responses.ts'
import type { TokenFacts } from './tokens.ts'

export interface IndexedChain {
  network: NetworkName
  deployment: Deployment
  tokens: ReadonlyMap<string, TokenFacts>
  pools: ReadonlyMap<string, VerifiedPool>
  blocks: readonly RecordedBlock[]
}

export interface Queries {
  query(text: string, values: unknown[]): Promise<{ rows: { line: string }[] }>
}

interface ExpectedTrade {
  chainId: number
  network: NetworkName
  day: string
  trader: string
  usdE8: bigint | null
  line: string
}

const TRADES = `SELECT concat_ws(' ', chain_id, block_number, transaction_index, position,
  extract(epoch FROM block_time)::bigint, encode(tx_hash, 'hex'), encode(trader, 'hex'), encode(sell_token, 'hex'),
  sell_native::text, sell_amount, encode(buy_token, 'hex'), buy_native::text, buy_amount, coalesce(volume_usd::text, '')) AS line
  FROM swap WHERE chain_id = ANY ($1)`
const TOTALS = `SELECT concat_ws(' ', day::text, chain_id, swaps, unpriced, volume_usd::text) AS line FROM day_total
  WHERE chain_id = ANY ($1)`
const TRADERS = `SELECT concat_ws(' ', day::text, encode(trader, 'hex'), networks & $1) AS line FROM day_trader
  WHERE networks & $1 <> 0`
const ADDRESSES = `SELECT concat_ws(' ', day::text, sum(addresses)) AS line FROM day_address_count
  WHERE networks & $1 <> 0 GROUP BY day`
const SHOWN = 6

export interface ExpectedRows {
  networks: readonly NetworkName[]
  trades: readonly ExpectedTrade[]
}

export function expectedRows(chains: readonly IndexedChain[]): ExpectedRows {
  return { networks: chains.map(({ network }) => network), trades: chains.flatMap(expectedTrades) }
}

/** Compares trades, days and traders with a database. Returns a text for each table that differs. */
export async function compareRows(database: Queries, { networks, trades }: ExpectedRows): Promise<string[]> {
  const ids = [networks.map((network) => NETWORKS[network].chainId)]
  const bits = [networks.reduce((sum, network) => sum + bitOf(network), 0)]
  const differences = [
    await compareTable(
      database,
      ['swap', TRADES, ids],
      trades.map(({ line }) => line),
    ),
    await compareTable(database, ['day_total', TOTALS, ids], totalsOf(trades)),
    await compareTable(database, ['day_trader', TRADERS, bits], tradersOf(trades)),
    await compareTable(database, ['day_address_count', ADDRESSES, bits], addressesOf(trades)),
  ]
  return differences.flat()
}

export async function compareTable(
  database: Queries,
  [table, query, values]: readonly [table: string, query: string, values?: unknown[]],
  expected: readonly string[],
): Promise<string[]> {
  const { rows } = await database.query(query, values ?? [])
  return compareLines(
    table,
    rows.map(({ line }) => line),
    expected,
  )
}

/** Returns a text that names missing and unexpected lines, or nothing if there are none. Ignores their order. */
export function compareLines(what: string, found: readonly string[], expected: readonly string[]): string[] {
  const [known, there] = [new Set(expected), new Set(found)]
  const missing = expected.filter((line) => !there.has(line))
  const extra = found.filter((line) => !known.has(line))
  if (missing.length + extra.length === 0 && found.length === expected.length) return []
  const some = (lines: readonly string[]) => lines.slice(0, SHOWN).join('\n    ')
  return [
    `${what}: ${found.length} rows, expected ${expected.length}\n  missing ${missing.length}:\n    ${some(missing)}\n  extra ${extra.length}:\n    ${some(extra)}`,
  ]
}

function expectedTrades(chain: IndexedChain): ExpectedTrade[] {
  const { network } = chain
  const { chainId } = NETWORKS[network]
  let last = ''
  let position = 0
  return pricedTrades(chain).map(({ block, transaction, sell, buy, usdE8 }): ExpectedTrade => {
    position = transaction.hash === last ? position + 1 : 0
    last = transaction.hash
    const legs = [sell, buy].map(({ token, native, amount }) => `${token.slice(2)} ${native} ${amount}`)
    const place = [chainId, block.number, transaction.index, position, block.timestamp]
    const names = [transaction.hash.slice(2), transaction.from.slice(2)]
    const line = [...place, ...names, ...legs, usdE8 === null ? '' : usd(usdE8)].join(' ')
    return { chainId, network, day: dateOf(block.timestamp), trader: transaction.from, usdE8, line }
  })
}

function totalsOf(trades: readonly ExpectedTrade[]): string[] {
  return [...groups(trades, ({ day, chainId }) => `${day} ${chainId}`)].map(([key, own]) => {
    const total = own.reduce((sum, { usdE8 }) => sum + (usdE8 ?? 0n), 0n)
    return `${key} ${own.length} ${own.filter(({ usdE8 }) => usdE8 === null).length} ${usd(total)}`
  })
}

function tradersOf(trades: readonly ExpectedTrade[]): string[] {
  return [...groups(trades, ({ day, trader }) => `${day} ${trader.slice(2)}`)].map(
    ([key, own]) => `${key} ${own.reduce((set, { network }) => set | bitOf(network), 0)}`,
  )
}

function addressesOf(trades: readonly ExpectedTrade[]): string[] {
  return [...groups(trades, ({ day }) => day)].map(
    ([day, own]) => `${day} ${new Set(own.map(({ trader }) => trader)).size}`,
  )
}

function bitOf(network: NetworkName): number {
  return 2 ** NETWORK_NAMES.indexOf(network)
}

function groups<T>(list: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const found = new Map<string, T[]>()
  for (const item of list) {
    const group = found.get(keyOf(item)) ?? []
    group.push(item)
    found.set(keyOf(item), group)
  }
  return found
}
