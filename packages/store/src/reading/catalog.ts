import { type Address, type Hex, NETWORK_NAMES, type NetworkName, type PoolStateAt } from '@dexfeed/dex'
import type { Db } from '../database/transaction.ts'
import { type AddressBound, readTogether } from '../stored.ts'
import { type InvalidatedRow, invalidatedPools, toInvalidated } from '../tables/invalidated-pool.ts'
import { countPools, findPools, type PoolFilter, type PoolRow } from '../tables/pool.ts'
import { type PoolStateRow, poolStatesOf, toPoolState } from '../tables/pool-state.ts'
import { type FoundToken, findTokens, type TokenFilter } from '../tables/token.ts'
import { type IndexedNetwork, readNetworks } from './networks.ts'

export interface CatalogPlace {
  network: NetworkName
  address: Hex
  side: 'before' | 'after'
}

/** Selects a page of rows in the order of networks and addresses. */
export interface CatalogSearch<Filter> {
  filter: Filter
  network?: NetworkName
  ascending: boolean
  /** Where the page begins; null for the first page. */
  from: CatalogPlace | null
  limit: number
}

export interface Found<Row> {
  networks: readonly IndexedNetwork[]
  rows: readonly (Row & { network: NetworkName })[]
  /** Where the next page begins; null after the last row. */
  reached: CatalogPlace | null
}

export function findStoredTokens(db: Db, search: CatalogSearch<TokenFilter>): Promise<Found<FoundToken>> {
  return overNetworks(db, search, ({ chainId }, page) => findTokens(db, chainId, search.filter, page))
}

export interface PoolWithState extends PoolRow {
  /** Null if the state has not been read yet, or is known to be wrong. */
  state: PoolStateAt | null
}

export function findStoredPools(db: Db, search: CatalogSearch<PoolFilter>): Promise<Found<PoolWithState>> {
  return overNetworks(db, search, async ({ chainId }, page) => {
    const pools = await findPools(db, chainId, search.filter, page)
    if (pools.length === 0) return []
    const addresses = pools.map(({ address }) => address)
    const found = await readTogether<{ invalidated: InvalidatedRow; states: PoolStateRow }>(db, {
      invalidated: invalidatedPools(chainId),
      states: poolStatesOf(chainId, addresses),
    })
    const states = new Map(found.states.map(toPoolState).map((state) => [state.pool, state]))
    for (const { pool } of found.invalidated.map(toInvalidated)) states.delete(pool)
    return pools.map((pool) => ({ ...pool, state: states.get(pool.address) ?? null }))
  })
}

async function overNetworks<Filter, Row extends { address: Address }>(
  db: Db,
  { network, ascending, from, limit }: CatalogSearch<Filter>,
  read: (
    network: IndexedNetwork,
    page: { bound: AddressBound | null; ascending: boolean; limit: number },
  ) => Promise<Row[]>,
): Promise<Found<Row>> {
  const networks = (await readNetworks(db)).filter((indexed) => network === undefined || indexed.network === network)
  const rows: (Row & { network: NetworkName })[] = []
  for (const indexed of ascending ? networks : [...networks].reverse()) {
    const behind = from === null ? 1 : rankOf(indexed.network) - rankOf(from.network)
    if (ascending ? behind < 0 : from !== null && behind > 0) continue
    const bound = from !== null && behind === 0 ? boundOf(from, ascending) : null
    const found = await read(indexed, { bound, ascending, limit: limit - rows.length + 1 })
    rows.push(...found.map((row) => ({ ...row, network: indexed.network })))
    if (rows.length <= limit) continue
    rows.pop()
    const last = rows.at(-1)
    const side = ascending ? 'after' : 'before'
    return { networks, rows, reached: last ? { network: last.network, address: last.address, side } : null }
  }
  return { networks, rows, reached: null }
}

function boundOf({ address, side }: CatalogPlace, ascending: boolean): AddressBound {
  if (ascending) return { address, comparison: side === 'after' ? '>' : '>=' }
  return { address, comparison: side === 'before' ? '<' : '<=' }
}

function rankOf(network: NetworkName): number {
  return NETWORK_NAMES.indexOf(network)
}

export interface StoredProtocol {
  network: NetworkName
  name: string
  pools: number
}

export async function readProtocols(db: Db): Promise<StoredProtocol[]> {
  const networks = await readNetworks(db)
  const counts = await countPools(db)
  return networks.flatMap(({ network, chainId }) =>
    counts.filter((count) => count.chainId === chainId).map(({ dex, pools }) => ({ network, name: dex, pools })),
  )
}
