import {
  type Address,
  type BlockRange,
  NETWORKS,
  type NetworkName,
  PassableTokens,
  type PoolAddress,
  type PoolStateAt,
  type TickLiquidityAt,
  type TokenMoveAt,
  withoutRanges,
} from '@dexfeed/dex'
import type { Database } from '../database/database.ts'
import { type Db, inTransaction } from '../database/transaction.ts'
import { hexOf, readTogether } from '../stored.ts'
import { type PoolRow, readPools } from '../tables/pool.ts'
import {
  changedPoolStates,
  distrustedPools,
  readPoolStatePage,
  toDistrusted,
  toPoolState,
} from '../tables/pool-state.ts'
import { changedTicks, readTickPage, toTick } from '../tables/pool-tick.ts'
import { listedTokens } from '../tables/token.ts'
import { readTokenMoves } from '../tables/token-move.ts'
import { type IndexedNetwork, NETWORK_QUERIES, type NetworkRows, toIndexedNetworks } from './networks.ts'

const PAGE_ROWS = 20_000

/** What tells through which tokens routes may lead. */
export interface TokenEvidence {
  /** The tokens that need no proof: the wrapped coin, anchors, the curated list. */
  trusted: Address[]
  /** The moves between pools in the week before the head, of blocks that were not known to be covered. */
  moves: TokenMoveAt[]
}

/** What a market holds now. */
export interface MarketSnapshot extends TokenEvidence {
  network: IndexedNetwork
  pools: PoolRow[]
  states: PoolStateAt[]
  /** Initialised ones only. */
  ticks: TickLiquidityAt[]
  /** All pools whose stored state is known to be wrong. */
  distrusted: PoolAddress[]
}

/** What changed in a market since a revision; ticks with gross 0 are no longer initialised. */
export type MarketChanges = Omit<MarketSnapshot, 'pools'>

/** A market as of which version, and the blocks whose moves of tokens it knows. */
export interface MarketVersion extends Pick<IndexedNetwork, 'revision' | 'reorgs'> {
  covered: readonly BlockRange[]
}

/** Everything that a market of the network holds, as of one moment; null when the network is not being indexed. */
export async function readMarket(
  database: Pick<Database, 'pool' | 'prisma'>,
  name: NetworkName,
  pageRows = PAGE_ROWS,
): Promise<MarketSnapshot | null> {
  const { chainId } = NETWORKS[name]
  const read = async (tx: Db) => {
    const found = await readTogether<NetworkRows & TrustedRows & DistrustedRows>(tx, {
      ...NETWORK_QUERIES,
      listed: listedTokens(chainId),
      distrusted: distrustedPools(chainId),
    })
    const network = toIndexedNetworks(found).find((one) => one.network === name)
    if (network === undefined) return null
    const states = await allPages<PoolStateAt>((after) => readPoolStatePage(tx, chainId, after, pageRows), pageRows)
    const ticks = await allPages<TickLiquidityAt>((after) => readTickPage(tx, chainId, after, pageRows), pageRows)
    const pools: PoolRow[] = []
    for (let at = 0; at < states.length; at += PAGE_ROWS) {
      const addresses = states.slice(at, at + PAGE_ROWS).map(({ pool }) => pool)
      for (const pool of await readPools(tx, chainId, addresses)) pools.push(pool)
    }
    const evidence = { trusted: trustedTokens(network, found), moves: await newMoves(tx, network, [], pageRows) }
    const initialised = ticks.filter(({ gross }) => gross !== 0n)
    return { network, pools, states, ticks: initialised, distrusted: poolsOf(found.distrusted), ...evidence }
  }
  return inTransaction(database, read, 'RepeatableRead')
}

/** What changed since `known`; null when that cannot be said, so that the market must be read anew. */
export async function readMarketChanges(
  db: Db,
  name: NetworkName,
  known: MarketVersion,
  pageRows = PAGE_ROWS,
): Promise<MarketChanges | null> {
  const { chainId } = NETWORKS[name]
  type PoolRows = { states: Parameters<typeof toPoolState>[0]; ticks: Parameters<typeof toTick>[0] }
  const found = await readTogether<NetworkRows & TrustedRows & DistrustedRows & PoolRows>(db, {
    ...NETWORK_QUERIES,
    listed: listedTokens(chainId),
    distrusted: distrustedPools(chainId),
    states: changedPoolStates(chainId, known.revision),
    ticks: changedTicks(chainId, known.revision),
  })
  const network = toIndexedNetworks(found).find((one) => one.network === name)
  if (network === undefined || network.reorgs !== known.reorgs || network.revision < known.revision) return null
  // A statement later: what a rollback in between took away is known to be gone at the next reading.
  const moves = await newMoves(db, network, known.covered, pageRows)
  const trusted = trustedTokens(network, found)
  const [states, ticks] = [found.states.map(toPoolState), found.ticks.map(toTick)]
  return { network, states, ticks, distrusted: poolsOf(found.distrusted), trusted, moves }
}

type TrustedRows = { listed: { address: string } }
type DistrustedRows = { distrusted: Parameters<typeof toDistrusted>[0] }

function poolsOf(distrusted: readonly DistrustedRows['distrusted'][]): PoolAddress[] {
  return distrusted.map((row) => toDistrusted(row).pool)
}

function trustedTokens(
  { wrappedNative, anchors }: IndexedNetwork,
  { listed }: { listed: TrustedRows['listed'][] },
): Address[] {
  return [wrappedNative, ...anchors, ...listed.map(({ address }) => hexOf(address))]
}

/** The moves of the week before the head, of blocks that are not known to be covered. */
async function newMoves(
  db: Db,
  { chainId, covered, head }: IndexedNetwork,
  known: readonly BlockRange[],
  pageRows: number,
): Promise<TokenMoveAt[]> {
  if (head === null) return []
  const since = PassableTokens.since(head.timestamp)
  const ofTheWeek = covered.filter(({ toTime }) => toTime > since)
  return readTokenMoves(db, chainId, withoutRanges(ofTheWeek, known), since, pageRows)
}

async function allPages<T>(read: (after: T | null) => Promise<T[]>, pageRows: number): Promise<T[]> {
  const all: T[] = []
  for (;;) {
    const page = await read(all.at(-1) ?? null)
    for (const one of page) all.push(one)
    if (page.length < pageRows) return all
  }
}
