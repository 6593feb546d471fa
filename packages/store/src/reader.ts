import {
  type Address,
  type BlockRange,
  NETWORKS,
  type NetworkName,
  type PoolAddress,
  type TokenMoveAt,
} from '@dexfeed/dex'
import { bound } from './bound.ts'
import type { Database } from './database/database.ts'
import { type Listener, listen } from './database/notifications.ts'
import { preparedReads, searchReads } from './database/reading-session.ts'
import { readCandles, readCloseBefore, readPastPrices } from './reading/candles.ts'
import { findStoredPools, findStoredTokens, readProtocols } from './reading/catalog.ts'
import { type EdgeSnapshot, readEdge } from './reading/edge-source.ts'
import { findSwaps, type SwapSearch, type SwapSearchLimits } from './reading/find-swaps.ts'
import { readLastDay } from './reading/last-day.ts'
import { type ListSnapshot, readListSnapshot, readListStamps } from './reading/list-source.ts'
import { type MarketPages, type MarketVersion, readMarket, readMarketChanges, readNewMoves } from './reading/market.ts'
import { type IndexedNetwork, readExtent, readNetworkProgress, readRevision } from './reading/networks.ts'
import { type LakeReads, readPast } from './reading/past.ts'
import { readSwapsOfDay, type SwapDay } from './reading/swaps-of-day.ts'
import { readTradersOfAges } from './reading/traders-of-ages.ts'
import { readVolumeSeries, readVolumes, readWashFlags } from './reading/volumes.ts'
import { withStoreErrors } from './store-error.ts'
import { keptSinceTime } from './tables/kept-days.ts'
import { readAwaitedKeys } from './tables/keys/awaited-key.ts'
import { findLiquidity, readLiquiditySums } from './tables/liquidity-event.ts'
import { readHeldAtEnds } from './tables/liquidity-hour.ts'
import { readQuotablePools } from './tables/pool.ts'
import { readNetworkActivity } from './tables/status/network-activity.ts'
import { readVenueCoverage } from './tables/status/venue-coverage.ts'
import { unindexedDates } from './tables/swap/search-index.ts'
import { countTokens, readSymbol, readTokens } from './tables/token.ts'
import { readUnreadPools } from './tables/unread-pool.ts'

export interface ReaderOptions {
  marketPageRows?: number
  /** Pools not touched for this many seconds are not part of a market; 0, the default, keeps all. */
  idlePoolS?: number
  search?: SwapSearchLimits
  /** Days that the database no longer keeps; without it they are not read. */
  lake?: LakeReads
}

export type Reader = ReturnType<typeof openReader>

/**
 * Joins the reads of the API. Methods throw a StoreError, retryable if the database is unreachable, out of connections
 * or too slow.
 */
export function openReader(database: Database, options: ReaderOptions = {}) {
  const { prisma } = database
  const reads = preparedReads(database)
  const search = searchReads(database, false)
  return {
    ...withStoreErrors({
      ...bound([prisma], BY_PRISMA),
      ...bound([reads], PREPARED),
      ...bound([search], { tradersOfAges: readTradersOfAges }),
      past: async (network: NetworkName, signal?: AbortSignal) =>
        options.lake === undefined ? null : readPast(reads, options.lake, network, signal),
      tokens: (network: NetworkName, addresses: readonly Address[]) =>
        readTokens(reads, NETWORKS[network].chainId, addresses),
      symbol: (network: NetworkName, symbol: string) => readSymbol(prisma, NETWORKS[network].chainId, symbol),
      pools: (network: NetworkName, addresses: readonly PoolAddress[]) =>
        readQuotablePools(prisma, NETWORKS[network].chainId, addresses),
      unreadPools: (network: NetworkName) => readUnreadPools(prisma, NETWORKS[network].chainId),
    }),
    ...marketReader(database, options),
    ...bound([database], { lastDay: readLastDay }),
    listen: (listener: Listener) => listen(() => database.hold('dexfeed-api-listen'), listener),
    listSnapshot: <T>(signal: AbortSignal, work: (snapshot: ListSnapshot) => Promise<T>) =>
      readListSnapshot(database, signal, work),
    edge: <T>(
      unknown: ReadonlyMap<NetworkName, Iterable<Address>>,
      signal: AbortSignal,
      work: (snapshot: EdgeSnapshot) => Promise<T>,
    ) => readEdge(database, unknown, signal, work),
    swapsOfDay: <T>(network: NetworkName, day: number, signal: AbortSignal, work: (day: SwapDay) => Promise<T>) =>
      readSwapsOfDay(database, { network, day, signal }, work),
    findSwaps: (search: SwapSearch) => findSwaps(database, search, options.search, options.lake ?? null),
  }
}

const BY_PRISMA = {
  networks: readNetworkProgress,
  awaitedKeys: readAwaitedKeys,
  activity: readNetworkActivity,
  unindexedDates,
  venueCoverage: readVenueCoverage,
  keptSince: keptSinceTime,
  revision: readRevision,
  tokenCounts: countTokens,
  protocols: readProtocols,
  dayVolumes: readVolumes,
  washFlags: readWashFlags,
  listStamps: readListStamps,
}

const PREPARED = {
  extent: readExtent,
  findTokens: findStoredTokens,
  findPools: findStoredPools,
  volumeSeries: readVolumeSeries,
  candles: readCandles,
  closeBefore: readCloseBefore,
  pastPrices: readPastPrices,
  liquiditySums: readLiquiditySums,
  heldAtEnds: readHeldAtEnds,
  findLiquidity,
}

function marketReader(database: Database, { marketPageRows, idlePoolS }: ReaderOptions) {
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
      ) => readNewMoves(database.prisma, network, { known, ...reading }, take),
    }),
  }
}
