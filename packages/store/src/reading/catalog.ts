import { type Hex, NETWORK_NAMES, NETWORKS, type NetworkName, type PoolCreation, type PoolStateAt } from '@dexfeed/dex'
import type { Db, Reads } from '../database/transaction.ts'
import type { Prisma } from '../generated/client.ts'
import { type AddressBound, readJson, readTogether, together } from '../stored.ts'
import { type InvalidatedRow, invalidatedPools, toInvalidated } from '../tables/invalidated-pool.ts'
import { countPools, type PoolFilter, type PoolRow, poolsFound, toPool } from '../tables/pool.ts'
import { type CreationRow, creationsOf, toCreation } from '../tables/pool-creation.ts'
import { type PoolStateRow, poolStatesOf, toPoolState } from '../tables/pool-state.ts'
import { type FoundToken, type TokenFilter, toFoundToken, tokensFound } from '../tables/token.ts'
import { type IndexedNetwork, NETWORK_QUERIES, type NetworkRows, readNetworks, toIndexedNetworks } from './networks.ts'

export interface CatalogPlace {
  network: NetworkName
  address: Hex
  side: 'before' | 'after'
}

export interface CatalogSearch<Filter> {
  filter: Filter
  network?: NetworkName
  ascending: boolean
  from: CatalogPlace | null
  limit: number
}

export interface Found<Row> {
  networks: readonly IndexedNetwork[]
  rows: readonly (Row & { network: NetworkName })[]
  reached: CatalogPlace | null
}

export function findStoredTokens(db: Reads, search: CatalogSearch<TokenFilter>): Promise<Found<FoundToken>> {
  return overNetworks(db, search, tokensFound, toFoundToken)
}

export interface PoolWithState extends PoolRow {
  /** Null if the state is not read yet, or known to be wrong. */
  state: PoolStateAt | null
  /** Null if it was not read. */
  creation: PoolCreation | null
}

export async function findStoredPools(db: Reads, search: CatalogSearch<PoolFilter>): Promise<Found<PoolWithState>> {
  const { rows, ...found } = await overNetworks(db, search, poolsFound, toPool)
  const queries: Record<string, Prisma.Sql> = {}
  for (const network of new Set(rows.map((pool) => pool.network))) {
    const pools = rows.filter((pool) => pool.network === network).map(({ address }) => address)
    queries[`${network} invalidated`] = invalidatedPools(NETWORKS[network].chainId)
    queries[`${network} states`] = poolStatesOf(NETWORKS[network].chainId, pools)
    queries[`${network} creations`] = creationsOf(NETWORKS[network].chainId, pools)
  }
  if (rows.length === 0) return { rows: [], ...found }
  const read = await readTogether<Record<string, InvalidatedRow & PoolStateRow & CreationRow>>(db, queries)
  const states = new Map<string, PoolStateAt>()
  const creations = new Map<string, PoolCreation>()
  for (const network of found.networks.map((indexed) => indexed.network)) {
    for (const state of (read[`${network} states`] ?? []).map(toPoolState))
      states.set(`${network} ${state.pool}`, state)
    for (const creation of (read[`${network} creations`] ?? []).map(toCreation))
      creations.set(`${network} ${creation.pool}`, creation)
    for (const { pool } of (read[`${network} invalidated`] ?? []).map(toInvalidated))
      states.delete(`${network} ${pool}`)
  }
  return {
    rows: rows.map((pool) => {
      const name = `${pool.network} ${pool.address}`
      return { ...pool, state: states.get(name) ?? null, creation: creations.get(name) ?? null }
    }),
    ...found,
  }
}

interface NetworkPage {
  bound: AddressBound | null
  ascending: boolean
  limit: number
}

async function overNetworks<Filter, Stored, Row extends { address: Hex }>(
  db: Reads,
  { network: only, filter, ascending, from, limit }: CatalogSearch<Filter>,
  queryOf: (chainId: number, filter: Filter, page: NetworkPage) => Prisma.Sql,
  toRow: (stored: Stored) => Row,
): Promise<Found<Row>> {
  const names = NETWORK_NAMES.filter((network) => only === undefined || network === only)
  if (!ascending) names.reverse()
  const queries: Record<string, Prisma.Sql> = {}
  for (const network of names) {
    const behind = from === null ? 1 : rankOf(network) - rankOf(from.network)
    if (ascending ? behind < 0 : from !== null && behind > 0) continue
    const bound = from !== null && behind === 0 ? boundOf(from, ascending) : null
    queries[network] = queryOf(NETWORKS[network].chainId, filter, { bound, ascending, limit: limit + 1 })
  }
  type Read = { [Name in keyof NetworkRows]: NetworkRows[Name][] } & Partial<Record<NetworkName, Stored[]>>
  const found: Read = await readJson(db, together({ ...NETWORK_QUERIES, ...queries }))
  const networks = toIndexedNetworks(found).filter(({ network }) => names.includes(network))
  const rows = names
    .filter((name) => networks.some(({ network }) => network === name))
    .flatMap((network) => (found[network] ?? []).map((stored) => ({ ...toRow(stored), network })))
  const last = rows.length > limit ? rows[limit - 1] : undefined
  const side = ascending ? 'after' : 'before'
  return {
    networks,
    rows: rows.slice(0, limit),
    reached: last ? { network: last.network, address: last.address, side } : null,
  }
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
