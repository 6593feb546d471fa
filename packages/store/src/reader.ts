import {
  type Address,
  type BlockRange,
  NETWORKS,
  type NetworkName,
  type PoolAddress,
  type TokenMoveAt,
} from '@dexfeed/dex'
import type { Database } from './database/database.ts'
import { type Listener, listen } from './database/notifications.ts'
import { preparedReads, searchReads } from './database/reading-session.ts'
import { type CandleSelection, readCandles, readCloseBefore, readPastPrices } from './reading/candles.ts'
import { type CatalogSearch, findStoredPools, findStoredTokens, readProtocols } from './reading/catalog.ts'
import { type EdgeSnapshot, readEdge } from './reading/edge-source.ts'
import { findSwaps, type SwapSearch, type SwapSearchLimits } from './reading/find-swaps.ts'
import { type DayPages, readLastDay } from './reading/last-day.ts'
import { type ListSnapshot, readListSnapshot, readListStamps } from './reading/list-source.ts'
import { type MarketPages, type MarketVersion, readMarket, readMarketChanges, readNewMoves } from './reading/market.ts'
import { type IndexedNetwork, readExtent, readNetworkProgress, readRevision } from './reading/networks.ts'
import { readSwapsOfDay, type SwapDay } from './reading/swaps-of-day.ts'
import { type CountedUntil, readTradersOfAges, type TradersRequest } from './reading/traders-of-ages.ts'
import { readVolumeSeries, readVolumes, readWashFlags, type VolumeSelection } from './reading/volumes.ts'
import { withStoreErrors } from './store-error.ts'
import { keptSinceTime } from './tables/kept-days.ts'
import { readAwaitedKeys } from './tables/keys/awaited-key.ts'
import {
  findLiquidity,
  type LiquiditySearch,
  type LiquiditySelection,
  readLiquiditySums,
} from './tables/liquidity-event.ts'
import { type HeldSelection, readHeldAtEnds } from './tables/liquidity-hour.ts'
import { type PoolFilter, readQuotablePools } from './tables/pool.ts'
import { readNetworkActivity } from './tables/status/network-activity.ts'
import { readVenueCoverage } from './tables/status/venue-coverage.ts'
import { unindexedDates } from './tables/swap/search-index.ts'
import { countTokens, readSymbol, readTokens, type TokenFilter } from './tables/token.ts'
import { readUnreadPools } from './tables/unread-pool.ts'

export interface ReaderOptions {
  marketPageRows?: number
  /** Pools not touched for this many seconds are not part of a market; 0, the default, keeps all. */
  idlePoolS?: number
  search?: SwapSearchLimits
}

export type Reader = ReturnType<typeof openReader>

/**
 * Joins the small readers below. Methods throw a StoreError, retryable if the database is unreachable, out of
 * connections or too slow.
 */
export function openReader(database: Database, options: ReaderOptions = {}) {
  return {
    ...statusReader(database),
    ...catalogReader(database),
    ...marketReader(database, options),
    ...figuresReader(database),
    ...swapReader(database, options.search),
  }
}

function statusReader(database: Database) {
  const { prisma } = database
  return {
    ...withStoreErrors({
      networks: () => readNetworkProgress(prisma),
      awaitedKeys: () => readAwaitedKeys(prisma),
      activity: () => readNetworkActivity(prisma),
      unindexedDates: () => unindexedDates(prisma),
      venueCoverage: () => readVenueCoverage(prisma),
      keptSince: () => keptSinceTime(prisma),
      extent: () => readExtent(preparedReads(database)),
      revision: () => readRevision(prisma),
    }),
    listen: (listener: Listener) => listen(() => database.hold('dexfeed-api-listen'), listener),
  }
}

function catalogReader(database: Database) {
  const { prisma } = database
  const reads = preparedReads(database)
  return withStoreErrors({
    tokens: (network: NetworkName, addresses: readonly Address[]) =>
      readTokens(reads, NETWORKS[network].chainId, addresses),
    symbol: (network: NetworkName, symbol: string) => readSymbol(prisma, NETWORKS[network].chainId, symbol),
    findTokens: (search: CatalogSearch<TokenFilter>) => findStoredTokens(reads, search),
    findPools: (search: CatalogSearch<PoolFilter>) => findStoredPools(reads, search),
    tokenCounts: () => countTokens(prisma),
    protocols: () => readProtocols(prisma),
  })
}

function marketReader(database: Database, { marketPageRows, idlePoolS }: ReaderOptions) {
  const { prisma } = database
  const reading = { ...(marketPageRows && { pageRows: marketPageRows }), ...(idlePoolS && { idlePoolS }) }
  return {
    market: (network: NetworkName, take: MarketPages) => readMarket(database, network, take, reading),
    ...withStoreErrors({
      marketChanges: (network: NetworkName, known: MarketVersion) =>
        readMarketChanges(database, network, known, reading),
      tokenMoves: (
        network: IndexedNetwork,
        known: readonly BlockRange[],
        take: (page: readonly TokenMoveAt[]) => void,
      ) => readNewMoves(prisma, network, { known, ...reading }, take),
      pools: (network: NetworkName, addresses: readonly PoolAddress[]) =>
        readQuotablePools(prisma, NETWORKS[network].chainId, addresses),
      unreadPools: (network: NetworkName) => readUnreadPools(prisma, NETWORKS[network].chainId),
    }),
  }
}

function figuresReader(database: Database) {
  const { prisma } = database
  const reads = preparedReads(database)
  return {
    ...withStoreErrors({
      dayVolumes: (last: string, count: number) => readVolumes(prisma, last, count),
      washFlags: (last: string, count: number, limit: number) => readWashFlags(prisma, last, count, limit),
      volumeSeries: (selection: VolumeSelection) => readVolumeSeries(reads, selection),
      tradersOfAges: (network: NetworkName, requests: readonly TradersRequest[], until: CountedUntil) =>
        readTradersOfAges(searchReads(database, false), network, requests, until),
      candles: (selection: CandleSelection) => readCandles(reads, selection),
      closeBefore: (selection: CandleSelection, since: number) => readCloseBefore(reads, selection, since),
      pastPrices: (network: NetworkName, tokens: readonly Address[], at: number) =>
        readPastPrices(reads, network, tokens, at),
    }),
    lastDay: (network: NetworkName, now: number, take: DayPages) => readLastDay(database, network, now, take),
  }
}

function swapReader(database: Database, limits?: SwapSearchLimits) {
  return {
    ...withStoreErrors({
      listStamps: (unknown: ReadonlyMap<NetworkName, Iterable<Address>>) => readListStamps(database.prisma, unknown),
      liquiditySums: (selection: LiquiditySelection) => readLiquiditySums(preparedReads(database), selection),
      heldAtEnds: (selection: HeldSelection) => readHeldAtEnds(preparedReads(database), selection),
      findLiquidity: (search: LiquiditySearch) => findLiquidity(preparedReads(database), search),
    }),
    listSnapshot: <T>(signal: AbortSignal, work: (snapshot: ListSnapshot) => Promise<T>) =>
      readListSnapshot(database, signal, work),
    edge: <T>(
      unknown: ReadonlyMap<NetworkName, Iterable<Address>>,
      signal: AbortSignal,
      work: (snapshot: EdgeSnapshot) => Promise<T>,
    ) => readEdge(database, unknown, signal, work),
    swapsOfDay: <T>(network: NetworkName, day: number, signal: AbortSignal, work: (day: SwapDay) => Promise<T>) =>
      readSwapsOfDay(database, { network, day, signal }, work),
    findSwaps: (search: SwapSearch) => findSwaps(database, search, limits),
  }
}
