import { NETWORKS, type NetworkName, type PoolStateAt, type TickLiquidityAt } from '@dexfeed/dex'
import type { Database } from '../database/database.ts'
import { type Db, inTransaction } from '../database/transaction.ts'
import { readTogether } from '../stored.ts'
import { type PoolRow, readPools } from '../tables/pool.ts'
import { changedPoolStates, readPoolStatePage, toPoolState } from '../tables/pool-state.ts'
import { changedTicks, readTickPage, toTick } from '../tables/pool-tick.ts'
import { type IndexedNetwork, NETWORK_QUERIES, type NetworkRows, readNetworks, toIndexedNetworks } from './networks.ts'

const PAGE_ROWS = 20_000

/** What a market holds now. */
export interface MarketSnapshot {
  network: IndexedNetwork
  pools: PoolRow[]
  states: PoolStateAt[]
  /** Initialised ones only. */
  ticks: TickLiquidityAt[]
}

/** What changed in a market since a revision; ticks with gross 0 are no longer initialised. */
export type MarketChanges = Omit<MarketSnapshot, 'pools'>

/** A market as of which version. */
export type MarketVersion = Pick<IndexedNetwork, 'revision' | 'reorgs'>

/** Everything that a market of the network holds, as of one moment; null when the network is not being indexed. */
export async function readMarket(
  database: Pick<Database, 'pool' | 'prisma'>,
  name: NetworkName,
  pageRows = PAGE_ROWS,
): Promise<MarketSnapshot | null> {
  const { chainId } = NETWORKS[name]
  const read = async (tx: Db) => {
    const network = (await readNetworks(tx)).find((one) => one.network === name)
    if (network === undefined) return null
    const states = await allPages<PoolStateAt>((after) => readPoolStatePage(tx, chainId, after, pageRows), pageRows)
    const ticks = await allPages<TickLiquidityAt>((after) => readTickPage(tx, chainId, after, pageRows), pageRows)
    const pools: PoolRow[] = []
    for (let at = 0; at < states.length; at += PAGE_ROWS) {
      const addresses = states.slice(at, at + PAGE_ROWS).map(({ pool }) => pool)
      for (const pool of await readPools(tx, chainId, addresses)) pools.push(pool)
    }
    return { network, pools, states, ticks: ticks.filter(({ gross }) => gross !== 0n) }
  }
  return inTransaction(database, read, 'RepeatableRead')
}

/** What changed since `known`; null when that cannot be said, so that the market must be read anew. */
export async function readMarketChanges(
  db: Db,
  name: NetworkName,
  known: MarketVersion,
): Promise<MarketChanges | null> {
  const { chainId } = NETWORKS[name]
  type Rows = NetworkRows & { states: Parameters<typeof toPoolState>[0]; ticks: Parameters<typeof toTick>[0] }
  const found = await readTogether<Rows>(db, {
    ...NETWORK_QUERIES,
    states: changedPoolStates(chainId, known.revision),
    ticks: changedTicks(chainId, known.revision),
  })
  const network = toIndexedNetworks(found).find((one) => one.network === name)
  if (network === undefined || network.reorgs !== known.reorgs || network.revision < known.revision) return null
  return { network, states: found.states.map(toPoolState), ticks: found.ticks.map(toTick) }
}

async function allPages<T>(read: (after: T | null) => Promise<T[]>, pageRows: number): Promise<T[]> {
  const all: T[] = []
  for (;;) {
    const page = await read(all.at(-1) ?? null)
    for (const one of page) all.push(one)
    if (page.length < pageRows) return all
  }
}
