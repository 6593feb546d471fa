import {
  type Address,
  type BlockRange,
  NETWORKS,
  type NetworkName,
  type PoolAddress,
  startOfDay,
  type Token,
  type TokenMoveAt,
} from '@dexfeed/dex'
import type { Database } from './database/database.ts'
import { type Listener, listen } from './database/notifications.ts'
import { type Candle, type CandleSelection, readCandles } from './reading/candles.ts'
import {
  type CatalogSearch,
  type Found,
  findStoredPools,
  findStoredTokens,
  type PoolWithState,
  readProtocols,
  type StoredProtocol,
} from './reading/catalog.ts'
import { type EdgeSnapshot, readEdge } from './reading/edge-source.ts'
import { type FoundSwaps, findSwaps, type SwapSearch, type SwapSearchLimits } from './reading/find-swaps.ts'
import { type DayPages, readLastDay } from './reading/last-day.ts'
import { type ListSnapshot, type ListStamps, readListSnapshot, readListStamps } from './reading/list-source.ts'
import {
  type MarketChanges,
  type MarketPages,
  type MarketVersion,
  readMarket,
  readMarketChanges,
  readNewMoves,
} from './reading/market.ts'
import { type IndexedNetwork, type NetworkProgress, readNetworkProgress, readRevision } from './reading/networks.ts'
import { readSwapsOfDay, type SwapDay } from './reading/swaps-of-day.ts'
import { readVolumeSeries, type VolumeInterval, type VolumeSelection } from './reading/volume-series.ts'
import { readVolumes, readWashFlags, type Volumes } from './reading/volumes.ts'
import { asStoreError } from './store-error.ts'
import { keptSince } from './tables/kept-days.ts'
import { type AwaitedKeys, readAwaitedKeys } from './tables/keys/awaited-key.ts'
import { type PoolFilter, type PoolRow, readPools, readUnreadPools } from './tables/pool.ts'
import { firstHour } from './tables/rollups/hour-volume.ts'
import { readVenueCoverage, type VenueCoverage } from './tables/status/venue-coverage.ts'
import { type FoundToken, readSymbol, readTokens, type TokenFilter } from './tables/token.ts'
import type { WashDayFlags, WashPool } from './tables/wash.ts'

/**
 * What the API reads. Every method throws a StoreError. It is retryable if the database is unreachable, out of
 * connections or too slow. A method without a comment here is described at the function that it calls.
 */
export interface Reader {
  /** Returns the active networks, in the order eth, bsc, polygon. */
  networks(): Promise<NetworkProgress[]>
  awaitedKeys(): Promise<AwaitedKeys[]>
  venueCoverage(): Promise<Map<number, VenueCoverage>>
  tokens(network: NetworkName, addresses: readonly Address[]): Promise<Token[]>
  /** Returns the tokens with an upper-case symbol of the curated list; several if it is ambiguous. */
  symbol(network: NetworkName, symbol: string): Promise<Address[]>
  dayVolumes(last: string, count: number): Promise<Volumes>
  washFlags(last: string, count: number, limit: number): Promise<{ days: WashDayFlags[]; pools: WashPool[] }>
  candles(selection: CandleSelection): Promise<Candle[]>
  volumeSeries(selection: VolumeSelection): Promise<VolumeInterval[]>
  volumesSince(network: NetworkName): Promise<number | null>
  lastDay(network: NetworkName, now: number, take: DayPages): Promise<boolean>
  /** Returns the first second whose rows are kept; null if all are. */
  keptSince(): Promise<number | null>
  market(network: NetworkName, take: MarketPages): Promise<boolean>
  marketChanges(network: NetworkName, known: MarketVersion): Promise<MarketChanges | null>
  tokenMoves(
    network: IndexedNetwork,
    known: readonly BlockRange[],
    take: (page: readonly TokenMoveAt[]) => void,
  ): Promise<void>
  pools(network: NetworkName, addresses: readonly PoolAddress[]): Promise<PoolRow[]>
  unreadPools(network: NetworkName): Promise<PoolRow[]>
  listStamps(unknown: ReadonlyMap<NetworkName, Iterable<Address>>): Promise<ListStamps>
  listSnapshot<T>(signal: AbortSignal, work: (snapshot: ListSnapshot) => Promise<T>): Promise<T>
  edge<T>(
    unknown: ReadonlyMap<NetworkName, Iterable<Address>>,
    signal: AbortSignal,
    work: (snapshot: EdgeSnapshot) => Promise<T>,
  ): Promise<T>
  swapsOfDay<T>(
    network: NetworkName,
    day: number,
    signal: AbortSignal,
    work: (day: SwapDay) => Promise<T>,
  ): Promise<T | null>
  findSwaps(search: SwapSearch): Promise<FoundSwaps>
  findTokens(search: CatalogSearch<TokenFilter>): Promise<Found<FoundToken>>
  findPools(search: CatalogSearch<PoolFilter>): Promise<Found<PoolWithState>>
  protocols(): Promise<StoredProtocol[]>
  revision(): Promise<string>
  listen(listener: Listener): () => Promise<void>
}

/** Limits of one read. The defaults are for production; tests set smaller ones. */
export interface ReaderOptions {
  marketPageRows?: number
  /** Pools not touched for at least this many seconds are not part of a market. 0, the default, keeps all pools. */
  idlePoolS?: number
  search?: SwapSearchLimits
}

/** Opens the reading side of the store. */
export function openReader(database: Pick<Database, 'pool' | 'prisma' | 'hold'>, options: ReaderOptions = {}): Reader {
  const { prisma } = database
  const { marketPageRows, idlePoolS } = options
  const reading = { ...(marketPageRows && { pageRows: marketPageRows }), ...(idlePoolS && { idlePoolS }) }
  const failing = <T>(work: Promise<T>) => work.catch((error: unknown) => Promise.reject(asStoreError(error)))
  return {
    networks: () => failing(readNetworkProgress(prisma)),
    awaitedKeys: () => failing(readAwaitedKeys(prisma)),
    venueCoverage: () => failing(readVenueCoverage(prisma)),
    tokens: (network, addresses) => failing(readTokens(prisma, NETWORKS[network].chainId, addresses)),
    symbol: (network, symbol) => failing(readSymbol(prisma, NETWORKS[network].chainId, symbol)),
    dayVolumes: (last, count) => failing(readVolumes(prisma, last, count)),
    washFlags: (last, count, limit) => failing(readWashFlags(prisma, last, count, limit)),
    candles: (selection) => failing(readCandles(prisma, selection)),
    volumeSeries: (selection) => failing(readVolumeSeries(database, selection)),
    volumesSince: (network) => failing(firstHour(prisma, NETWORKS[network].chainId)),
    lastDay: (network, now, take) => readLastDay(database, network, now, take),
    async keptSince() {
      const day = await failing(keptSince(prisma))
      return day === null ? null : startOfDay(day)
    },
    market: (network, take) => readMarket(database, network, take, reading),
    marketChanges: (network, known) => failing(readMarketChanges(database, network, known, reading)),
    tokenMoves: (network, known, take) => failing(readNewMoves(prisma, network, known, take, options.marketPageRows)),
    pools: (network, addresses) => failing(readPools(prisma, NETWORKS[network].chainId, addresses)),
    unreadPools: (network) => failing(readUnreadPools(prisma, NETWORKS[network].chainId)),
    listStamps: (unknown) => failing(readListStamps(prisma, unknown)),
    listSnapshot: (signal, work) => readListSnapshot(database, signal, work),
    edge: (unknown, signal, work) => readEdge(database, unknown, signal, work),
    swapsOfDay: (network, day, signal, work) => readSwapsOfDay(database, network, day, signal, work),
    findSwaps: (search) => findSwaps(database, search, options.search),
    findTokens: (search) => failing(findStoredTokens(prisma, search)),
    findPools: (search) => failing(findStoredPools(prisma, search)),
    protocols: () => failing(readProtocols(prisma)),
    revision: () => failing(readRevision(prisma)),
    listen: (listener) => listen(() => database.hold('dexfeed-api-listen'), listener),
  }
}
