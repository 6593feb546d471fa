import {
  type Address,
  type BlockRange,
  NETWORKS,
  type NetworkName,
  type PoolAddress,
  startOfDay,
  type TokenMoveAt,
} from '@dexfeed/dex'
import type { Database } from './database/database.ts'
import { type Listener, listen } from './database/notifications.ts'
import { type CandleSelection, readCandles, readPastPrices } from './reading/candles.ts'
import { type CatalogSearch, findStoredPools, findStoredTokens, readProtocols } from './reading/catalog.ts'
import { type EdgeSnapshot, readEdge } from './reading/edge-source.ts'
import { findSwaps, type SwapSearch, type SwapSearchLimits } from './reading/find-swaps.ts'
import { type DayPages, readLastDay } from './reading/last-day.ts'
import { type ListSnapshot, readListSnapshot, readListStamps } from './reading/list-source.ts'
import { type MarketPages, type MarketVersion, readMarket, readMarketChanges, readNewMoves } from './reading/market.ts'
import { type IndexedNetwork, readNetworkProgress, readRevision } from './reading/networks.ts'
import { readSwapsOfDay, type SwapDay } from './reading/swaps-of-day.ts'
import { readVolumeSeries, type VolumeSelection } from './reading/volume-series.ts'
import { readVolumes, readWashFlags } from './reading/volumes.ts'
import { withStoreErrors } from './store-error.ts'
import { keptSince } from './tables/kept-days.ts'
import { readAwaitedKeys } from './tables/keys/awaited-key.ts'
import { type PoolFilter, readQuotablePools } from './tables/pool.ts'
import { firstHour } from './tables/rollups/hour-volume.ts'
import { readNetworkActivity } from './tables/status/network-activity.ts'
import { readVenueCoverage } from './tables/status/venue-coverage.ts'
import { unindexedDates } from './tables/swap/search-index.ts'
import { countTokens, readSymbol, readTokens, type TokenFilter } from './tables/token.ts'
import { readUnreadPools } from './tables/unread-pool.ts'

/** Limits of one read. The defaults are for production; tests set smaller ones. */
export interface ReaderOptions {
  marketPageRows?: number
  /** Pools not touched for at least this many seconds are not part of a market. 0, the default, keeps all pools. */
  idlePoolS?: number
  search?: SwapSearchLimits
}

export type Reader = ReturnType<typeof openReader>

/**
 * Returns what the API reads. Every method throws a StoreError. It is retryable if the database is unreachable, out of
 * connections or too slow. The functions that the methods call describe them.
 */
export function openReader(database: Pick<Database, 'pool' | 'prisma' | 'hold'>, options: ReaderOptions = {}) {
  const { prisma } = database
  const { marketPageRows, idlePoolS } = options
  const reading = { ...(marketPageRows && { pageRows: marketPageRows }), ...(idlePoolS && { idlePoolS }) }
  const reads = withStoreErrors({
    /** Returns the active networks, in the order eth, bsc, polygon. */
    networks: () => readNetworkProgress(prisma),
    awaitedKeys: () => readAwaitedKeys(prisma),
    activity: () => readNetworkActivity(prisma),
    unindexedDates: () => unindexedDates(prisma),
    venueCoverage: () => readVenueCoverage(prisma),
    tokens: (network: NetworkName, addresses: readonly Address[]) =>
      readTokens(prisma, NETWORKS[network].chainId, addresses),
    /** Returns the tokens with an upper-case symbol of the curated list; several if it is ambiguous. */
    symbol: (network: NetworkName, symbol: string) => readSymbol(prisma, NETWORKS[network].chainId, symbol),
    dayVolumes: (last: string, count: number) => readVolumes(prisma, last, count),
    washFlags: (last: string, count: number, limit: number) => readWashFlags(prisma, last, count, limit),
    candles: (selection: CandleSelection) => readCandles(database, selection),
    pastPrices: (network: NetworkName, tokens: readonly Address[], at: number) =>
      readPastPrices(database, network, tokens, at),
    volumeSeries: (selection: VolumeSelection) => readVolumeSeries(database, selection),
    volumesSince: (network: NetworkName) => firstHour(prisma, NETWORKS[network].chainId),
    /** Returns the first second whose rows are kept; null if all are. */
    async keptSince() {
      const day = await keptSince(prisma)
      return day === null ? null : startOfDay(day)
    },
    marketChanges: (network: NetworkName, known: MarketVersion) => readMarketChanges(database, network, known, reading),
    tokenMoves: (network: IndexedNetwork, known: readonly BlockRange[], take: (page: readonly TokenMoveAt[]) => void) =>
      readNewMoves(prisma, network, known, take, options.marketPageRows),
    pools: (network: NetworkName, addresses: readonly PoolAddress[]) =>
      readQuotablePools(prisma, NETWORKS[network].chainId, addresses),
    unreadPools: (network: NetworkName) => readUnreadPools(prisma, NETWORKS[network].chainId),
    listStamps: (unknown: ReadonlyMap<NetworkName, Iterable<Address>>) => readListStamps(prisma, unknown),
    findTokens: (search: CatalogSearch<TokenFilter>) => findStoredTokens(prisma, search),
    findPools: (search: CatalogSearch<PoolFilter>) => findStoredPools(prisma, search),
    /** Returns the number of stored tokens by chain id. */
    tokenCounts: () => countTokens(prisma),
    protocols: () => readProtocols(prisma),
    revision: () => readRevision(prisma),
  })
  return {
    ...reads,
    // These map their own errors: those of the caller's functions pass through.
    lastDay: (network: NetworkName, now: number, take: DayPages) => readLastDay(database, network, now, take),
    market: (network: NetworkName, take: MarketPages) => readMarket(database, network, take, reading),
    listSnapshot: <T>(signal: AbortSignal, work: (snapshot: ListSnapshot) => Promise<T>) =>
      readListSnapshot(database, signal, work),
    edge: <T>(
      unknown: ReadonlyMap<NetworkName, Iterable<Address>>,
      signal: AbortSignal,
      work: (snapshot: EdgeSnapshot) => Promise<T>,
    ) => readEdge(database, unknown, signal, work),
    swapsOfDay: <T>(network: NetworkName, day: number, signal: AbortSignal, work: (day: SwapDay) => Promise<T>) =>
      readSwapsOfDay(database, network, day, signal, work),
    findSwaps: (search: SwapSearch) => findSwaps(database, search, options.search),
    listen: (listener: Listener) => listen(() => database.hold('dexfeed-api-listen'), listener),
  }
}
