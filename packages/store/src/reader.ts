import { type Address, NETWORKS, type NetworkName, type PoolAddress, type Token } from '@dexfeed/dex'
import type { Database } from './database/database.ts'
import { type Listener, listen } from './database/notifications.ts'
import {
  type MarketChanges,
  type MarketSnapshot,
  type MarketVersion,
  readMarket,
  readMarketChanges,
} from './reading/market.ts'
import { type IndexedNetwork, readNetworks } from './reading/networks.ts'
import {
  openSwapWindow,
  readSwapList,
  type SwapPage,
  type SwapSelection,
  type SwapWindow,
  type SwapWindowOptions,
} from './reading/swap-window.ts'
import { readVolumes, readWashFlags, type Volumes } from './reading/volumes.ts'
import { asStoreError } from './store-error.ts'
import { type AwaitedKeys, readAwaitedKeys } from './tables/keys/awaited-key.ts'
import { type PoolRow, readPools, readUnreadPools } from './tables/pool.ts'
import { readSymbol, readTokens } from './tables/token.ts'
import { readVenueCoverage, type VenueCoverage } from './tables/venue-coverage.ts'
import type { WashDayFlags, WashPool } from './tables/wash.ts'

/**
 * What the API reads. Every method throws a StoreError: a retryable one when the database is out of reach, out of
 * connections or too slow.
 */
export interface Reader {
  /** The networks that are being indexed, in the order eth, bsc, polygon. */
  networks(): Promise<IndexedNetwork[]>
  /** The networks with blocks that wait for keys of pools. */
  awaitedKeys(): Promise<AwaitedKeys[]>
  /** What was counted of venues that are not read, by chain id. */
  venueCoverage(): Promise<Map<number, VenueCoverage>>
  tokens(network: NetworkName, addresses: readonly Address[]): Promise<Token[]>
  /** The tokens that an upper-case symbol of the curated list stands for; several: it is ambiguous. */
  symbol(network: NetworkName, symbol: string): Promise<Address[]>
  /** The `count` UTC days that end with `last` (YYYY-MM-DD), newest first, and the networks as of the same moment. */
  dayVolumes(last: string, count: number): Promise<Volumes>
  /** The judged days among these, newest first, and at most `limit` of their flagged pools, largest first. */
  washFlags(last: string, count: number, limit: number): Promise<{ days: WashDayFlags[]; pools: WashPool[] }>
  /** Everything that a market of the network holds; null when the network is not being indexed. */
  market(network: NetworkName): Promise<MarketSnapshot | null>
  /** What changed since `known`; null when that cannot be said, so that the market must be read anew. */
  marketChanges(network: NetworkName, known: MarketVersion): Promise<MarketChanges | null>
  pools(network: NetworkName, addresses: readonly PoolAddress[]): Promise<PoolRow[]>
  /** The network's pools whose state is still to be read from the chain, or to be read anew because it is wrong. */
  unreadPools(network: NetworkName): Promise<PoolRow[]>
  /** All selected swaps, as a list that belongs to one moment. */
  swapWindow(selection: SwapSelection): Promise<SwapWindow>
  /** The first `limit` selected swaps. */
  swapPage(selection: SwapSelection, limit: number): Promise<SwapPage>
  /** Calls back on every commit of the indexer until the returned function has been called. */
  listen(listener: Listener): () => Promise<void>
}

/** How much is read at once. The defaults are meant for use, others for tests. */
export interface ReaderOptions extends SwapWindowOptions {
  marketPageRows?: number
}

/** The reading side of the store. */
export function openReader(
  database: Pick<Database, 'pool' | 'prisma' | 'connect'>,
  options: ReaderOptions = {},
): Reader {
  const { prisma } = database
  const failing = <T>(work: Promise<T>) => work.catch((error: unknown) => Promise.reject(asStoreError(error)))
  return {
    networks: () => failing(readNetworks(prisma)),
    awaitedKeys: () => failing(readAwaitedKeys(prisma)),
    venueCoverage: () => failing(readVenueCoverage(prisma)),
    tokens: (network, addresses) => failing(readTokens(prisma, NETWORKS[network].chainId, addresses)),
    symbol: (network, symbol) => failing(readSymbol(prisma, NETWORKS[network].chainId, symbol)),
    dayVolumes: (last, count) => failing(readVolumes(prisma, last, count)),
    washFlags: (last, count, limit) => failing(readWashFlags(prisma, last, count, limit)),
    market: (network) => readMarket(database, network, options.marketPageRows),
    marketChanges: (network, known) => failing(readMarketChanges(prisma, network, known, options.marketPageRows)),
    pools: (network, addresses) => failing(readPools(prisma, NETWORKS[network].chainId, addresses)),
    unreadPools: (network) => failing(readUnreadPools(prisma, NETWORKS[network].chainId)),
    swapWindow: (selection) => openSwapWindow(database, selection, options),
    swapPage: (selection, limit) => readSwapList(database, selection, limit),
    listen: (listener) => listen(() => database.connect('dexfeed-api-listen'), listener),
  }
}
