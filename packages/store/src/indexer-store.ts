import {
  type Address,
  type BlockPoint,
  type BlockRange,
  type Deployment,
  type Dex,
  NETWORKS,
  type NetworkName,
  type PoolAddress,
  startOfDay,
  type TickLiquidityAt,
  type Token,
} from '@dexfeed/dex'
import type { Database } from './database/database.ts'
import { type Db, inTransaction } from './database/transaction.ts'
import { readCommittedStates } from './reading/committed-states.ts'
import { withStoreErrors } from './store-error.ts'
import { readAudited, readCheckedPool, writeAudited, writeCheckedPool } from './tables/audit.ts'
import { readAwaitedTokens } from './tables/awaited-value.ts'
import { readBlocks } from './tables/block.ts'
import { readCoveredRanges, readOldRanges } from './tables/covered-range.ts'
import { daysOfRange } from './tables/day-partition.ts'
import { type InvalidatedPool, readInvalidated } from './tables/invalidated-pool.ts'
import { keptSince } from './tables/kept-days.ts'
import { deleteAwaitedKeys } from './tables/keys/awaited-key.ts'
import { readKeyProgress } from './tables/keys/key-search.ts'
import { readPoolKeys } from './tables/keys/pool-key.ts'
import {
  deleteDenialsIn,
  deleteUnconfirmedDenials,
  readUnconfirmedDenials,
  type UnconfirmedDenial,
} from './tables/keys/unconfirmed-denial.ts'
import {
  lowerStart,
  type NetworkKey,
  noteFinal,
  raiseStart,
  readNetwork,
  reportUnproven,
  setBudgetShortfall,
  setDegraded,
} from './tables/network.ts'
import { readPools } from './tables/pool.ts'
import { readPoolStates, readPoolsWithState } from './tables/pool-state.ts'
import { readOverdrawn } from './tables/pool-tick.ts'
import { writeBackfillRate } from './tables/status/backfill-rate.ts'
import { type NetworkActivity, writeNetworkActivity } from './tables/status/network-activity.ts'
import { noteUnknownHeaders, type UnknownHeaders } from './tables/status/unknown-header.ts'
import { readVenueCoverage, type VenueCoverage, writeVenueCoverage } from './tables/status/venue-coverage.ts'
import { readPoolTrades, readStoredTrades } from './tables/swap/swap.ts'
import { readPoolsOfHops } from './tables/swap/swap-hop.ts'
import { readTokens } from './tables/token.ts'
import { readFoundPools, type UnreadChanges, writeUnreadPools } from './tables/unread-pool.ts'
import { judgeWashDay, readWashDay, type WashThresholds } from './tables/wash.ts'
import { alignFees } from './writing/align-fees.ts'
import { searchIndexBuilder } from './writing/build-search-indexes.ts'
import {
  commitHead,
  commitHistory,
  commitSkipped,
  type HeadCommit,
  type HistoryCommit,
  type SkippedCommit,
} from './writing/commit-range.ts'
import { compareDay, recountDay } from './writing/recount-day.ts'
import { configureNetwork, type NetworkRegistration, registerNetwork } from './writing/register-network.ts'
import { type RangeReplacement, renewRange, replaceRange } from './writing/replace-range.ts'
import { dropDaysBefore } from './writing/retain-days.ts'
import { dropPoolStates, rollBackBelowFinal } from './writing/roll-back.ts'
import { type KeysFound, saveKeys, searchAlone } from './writing/search-keys.ts'
import { settleAwaitedValues } from './writing/settle-awaited-values.ts'
import { commitPoolStates, invalidatePools, type PoolSnapshots, pruneStates } from './writing/write-pool-states.ts'
import { acquireWriter } from './writing/writer-lease.ts'

export type IndexerStore = ReturnType<typeof openIndexerStore>

/**
 * Returns what an indexer needs of the database for one network. Every method rejects with a StoreError. The functions
 * that the methods call describe them.
 */
export function openIndexerStore(database: Database, name: NetworkName) {
  const network = { chainId: NETWORKS[name].chainId, name }
  return {
    ...withStoreErrors({
      ...ofNetwork(database, network),
      ...ofPools(database, network),
      ...ofTrades(database, network),
    }),
    // Their callers' errors pass through them.
    acquireWriter: (signal: AbortSignal, onWait?: (reason: string) => void) =>
      acquireWriter(database, network, signal, onWait),
    searchAlone: (step: () => Promise<void>) => searchAlone(database, network, step),
  }
}

/** Methods of the network's row, its writer, and what the indexer reports about itself. */
function ofNetwork(database: Database, network: NetworkKey) {
  const { prisma } = database
  const { chainId } = network
  return {
    register: (registration: NetworkRegistration) => registerNetwork(database, network, registration),
    configure: (epoch: number, deployment: Deployment) => configureNetwork(database, network, epoch, deployment),
    alignFees: (epoch: number, dexes: readonly Dex[]) => alignFees(database, network, epoch, dexes),
    networkRow: () => readNetwork(prisma, chainId),
    /** Notes up to which block the chain is final, before the follower's first commit. @throws LeaseLost */
    noteFinal: (epoch: number, finalNumber: number) => noteFinal(prisma, network, epoch, finalNumber),
    lowerStart: (start: BlockPoint) => lowerStart(prisma, chainId, start),
    /** Moves the first block to cover forward, past what is no longer kept; never back. */
    raiseStart: (start: BlockPoint) => beginAt(prisma, chainId, start),
    setDegraded: (reason: string | null, epoch: number | null) => setDegraded(prisma, chainId, reason, epoch),
    setBudgetShortfall: (shortfall: string | null, epoch: number) =>
      setBudgetShortfall(prisma, chainId, shortfall, epoch),
    reportUnproven: (isUnproven: boolean) => reportUnproven(prisma, chainId, isUnproven),
    noteUnknownHeaders: (headers: UnknownHeaders | null) => noteUnknownHeaders(prisma, chainId, headers),
    venueCoverage: async () => (await readVenueCoverage(prisma)).get(chainId) ?? null,
    setVenueCoverage: (coverage: VenueCoverage) =>
      inTransaction(database, (tx) => writeVenueCoverage(tx, chainId, coverage)),
    setActivity: (activity: NetworkActivity) => writeNetworkActivity(prisma, chainId, activity),
    setBackfillRate: (blocksPerS: number) => writeBackfillRate(prisma, chainId, blocksPerS),
  }
}

/** Methods of pools, their keys and their states. */
function ofPools(database: Database, network: NetworkKey) {
  const { prisma } = database
  const { chainId } = network
  return {
    loadPools: (addresses?: readonly PoolAddress[]) => readPools(prisma, chainId, addresses),
    loadTokens: (addresses?: readonly Address[]) => readTokens(prisma, chainId, addresses),
    foundPools: () => readFoundPools(prisma, chainId),
    poolKeys: (pools: readonly PoolAddress[]) => readPoolKeys(prisma, chainId, pools),
    keyProgress: (manager: Address) => readKeyProgress(prisma, chainId, manager),
    saveKeys: (found: KeysFound) => saveKeys(database, chainId, found),
    poolTrades: () => readPoolTrades(prisma, chainId),
    changeUnreadPools: (epoch: number, changes: UnreadChanges) => writeUnreadPools(prisma, chainId, epoch, changes),
    loadPoolStates: (atBlock?: number) => readPoolStates(prisma, chainId, atBlock),
    commitPoolStates: (snapshots: PoolSnapshots) => commitPoolStates(database, network, snapshots),
    poolsWithState: (after: PoolAddress | null, limit: number) => readPoolsWithState(prisma, chainId, after, limit),
    committedStates: (pools: readonly PoolAddress[]) => readCommittedStates(prisma, chainId, pools),
    invalidate: (pools: readonly InvalidatedPool[]) => invalidatePools(database, network, pools),
    invalidatedPools: () => readInvalidated(prisma, chainId),
    overdrawnPools: (atBlock: number, deltas: readonly TickLiquidityAt[]) =>
      readOverdrawn(prisma, chainId, atBlock, deltas),
    checkedPool: () => readCheckedPool(prisma, chainId),
    setCheckedPool: (pool: PoolAddress | null) => writeCheckedPool(prisma, chainId, pool),
    pruneStates: (after: number) => pruneStates(database, chainId, after),
    dropPoolStates: (epoch: number) => dropPoolStates(database, network, epoch),
  }
}

/** Methods of blocks, their trades, and the counters of days. */
function ofTrades(database: Database, network: NetworkKey) {
  const { prisma } = database
  const { chainId } = network
  const buildIndexes = searchIndexBuilder(database)
  return {
    /** Ascending; no two are adjacent. */
    coveredRanges: () => readCoveredRanges(prisma, chainId),
    /** The covered ranges whose rows older rules made. Ascending. */
    oldRanges: () => readOldRanges(prisma, chainId),
    /** Stored headers, ascending. */
    reorgableBlocks: () => readBlocks(prisma, chainId),
    commitHead: (commit: HeadCommit) => commitHead(database, network, commit),
    commitHistory: (commit: HistoryCommit) => commitHistory(database, network, commit),
    commitSkipped: (commit: SkippedCommit) => commitSkipped(database, network, commit),
    renew: (commit: HistoryCommit) => renewRange(database, network, commit),
    poolsOfTrades: (range: BlockRange) => readPoolsOfHops(prisma, chainId, range),
    storedTrades: (range: BlockRange) => readStoredTrades(prisma, chainId, range),
    replaceRange: (replacement: RangeReplacement) => replaceRange(database, network, replacement),
    rollBackBelowFinal: (epoch: number, block: BlockPoint, gonePools: readonly PoolAddress[]) =>
      rollBackBelowFinal(database, network, epoch, block, gonePools),
    daysOf: (range: BlockRange) => daysOfRange(prisma, chainId, range),
    compareDay: (day: number) => compareDay(prisma, day),
    recountDay: (day: number) => recountDay(database, day),
    unconfirmedDenials: (final: number) => readUnconfirmedDenials(prisma, chainId, final),
    settleDenials: (denials: readonly UnconfirmedDenial[]) => deleteUnconfirmedDenials(prisma, chainId, denials),
    audited: () => readAudited(prisma, chainId),
    setAudited: (number: number) => writeAudited(prisma, chainId, number),
    dropDaysBefore: (day: number) => dropDaysBefore(database, day),
    buildSearchIndexes: (signal: AbortSignal) => buildIndexes(signal),
    /** Returns the first second (since 1970) whose rows are kept; null if all are. */
    async keptSince() {
      const day = await keptSince(prisma)
      return day === null ? null : startOfDay(day)
    },
    settleAwaitedValues: (tokens: readonly Token[]) => settleAwaitedValues(database, chainId, tokens),
    awaitedTokens: () => readAwaitedTokens(prisma, chainId),
    judgeWashDay: (thresholds: WashThresholds) => judgeWashDay(database, chainId, thresholds),
    lastWashDay: () => readWashDay(prisma, chainId),
  }
}

/** No block before the new start waits for keys or has denials any more. */
async function beginAt(db: Db, chainId: number, start: BlockPoint): Promise<void> {
  await raiseStart(db, chainId, start)
  const gone = { from: 0, to: start.number - 1 }
  await deleteAwaitedKeys(db, chainId, gone)
  await deleteDenialsIn(db, chainId, gone)
}
