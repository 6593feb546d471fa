import {
  type Address,
  type BlockPoint,
  type BlockRange,
  type Deployment,
  type Dex,
  NETWORKS,
  type NetworkName,
  type PoolAddress,
  type TickLiquidityAt,
  type Token,
} from '@dexfeed/dex'
import type { Database } from './database/database.ts'
import { type Db, inTransaction } from './database/transaction.ts'
import { readCommittedStates } from './reading/committed-states.ts'
import { readPoolsAt } from './reading/pools-at.ts'
import { withStoreErrors } from './store-error.ts'
import {
  type AlertChange,
  type AlertKey,
  noteQueued,
  readFired,
  readLastAlert,
  readWaitingAlerts,
} from './tables/alert.ts'
import { readAudited, readCheckedPool, writeAudited, writeCheckedPool } from './tables/audit.ts'
import { readAwaitedTokens } from './tables/awaited-value.ts'
import { readBlocks } from './tables/block.ts'
import { readCoveredRanges, readOldRanges } from './tables/covered-range.ts'
import { daysOfRange } from './tables/day-partition.ts'
import { type InvalidatedPool, readInvalidated } from './tables/invalidated-pool.ts'
import { keptSinceTime } from './tables/kept-days.ts'
import { deleteAwaitedKeys } from './tables/keys/awaited-key.ts'
import { readKeyProgress } from './tables/keys/key-search.ts'
import { readPoolKeys } from './tables/keys/pool-key.ts'
import {
  deleteDenialsIn,
  deleteUnconfirmedDenials,
  readUnconfirmedDenials,
  type UnconfirmedDenial,
} from './tables/keys/unconfirmed-denial.ts'
import { readStoredLiquidity } from './tables/liquidity-event.ts'
import {
  deleteInvalidHours,
  type HeldAt,
  type LiquidityHour,
  readLastHour,
  writeHour,
  writePoolHours,
} from './tables/liquidity-hour.ts'
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
import { readCreationsIn, readPoolsCreatedAbove } from './tables/pool-creation.ts'
import { readPoolStates, readPoolsChanged, readPoolsWithState } from './tables/pool-state.ts'
import { readOverdrawn } from './tables/pool-tick.ts'
import { writeBackfillRate } from './tables/status/backfill-rate.ts'
import { type NetworkActivity, writeNetworkActivity } from './tables/status/network-activity.ts'
import { noteUnknownHeaders, type UnknownHeaders } from './tables/status/unknown-header.ts'
import { readVenueCoverage, type VenueCoverage, writeVenueCoverage } from './tables/status/venue-coverage.ts'
import { readPoolTrades, readStoredTrades } from './tables/swap/swap.ts'
import { readPoolsOfHops } from './tables/swap/swap-hop.ts'
import { readTokenPage, readTokens, readUnreadSupplies, updateSupplies } from './tables/token.ts'
import { readFoundPools, type UnreadChanges, writeUnreadPools } from './tables/unread-pool.ts'
import { judgeWashDay, readWashDay, type WashThresholds } from './tables/wash.ts'
import {
  commitHead,
  commitHistory,
  commitSkipped,
  type HeadCommit,
  type HistoryCommit,
  type SkippedCommit,
} from './writing/commit-range.ts'
import { fillOrderFlow } from './writing/fill-order-flow.ts'
import { storeChanges } from './writing/judge-alerts.ts'
import { alignFees, configureNetwork, type NetworkRegistration, registerNetwork } from './writing/register-network.ts'
import { type RangeReplacement, renewRange, replaceRange } from './writing/replace-range.ts'
import { dropPoolStates, rollBackBelowFinal } from './writing/roll-back.ts'
import { type KeysFound, saveKeys, searchAlone } from './writing/search-keys.ts'
import { settleAwaitedValues } from './writing/settle-awaited-values.ts'
import { compareDay, dropDaysBefore, recountDay, searchIndexBuilder } from './writing/whole-days.ts'
import { commitPoolStates, invalidatePools, type PoolSnapshots, pruneStates } from './writing/write-pool-states.ts'
import { acquireWriter } from './writing/writer-lease.ts'

export type IndexerStore = ReturnType<typeof openIndexerStore>

/**
 * Joins the small stores below for one network; each loop and command declares the methods that it needs. Methods
 * reject with a StoreError.
 */
export function openIndexerStore(database: Database, name: NetworkName) {
  const network = { chainId: NETWORKS[name].chainId, name }
  return {
    ...withStoreErrors({
      ...networkStore(database, network),
      ...headStore(database, network),
      ...historyStore(database, network),
      ...poolStore(database, network),
      ...keyStore(database, network),
      ...stateStore(database, network),
      ...hourStore(database, network),
      ...stateChecks(database, network),
      ...repairs(database, network),
      ...dayStore(database, network),
      ...lateValues(database, network),
      ...supplies(database, network),
      ...reports(database, network),
      ...alerts(database, network),
    }),
    acquireWriter: (signal: AbortSignal, onWait?: (reason: string) => void) =>
      acquireWriter(database, network, signal, onWait),
    searchAlone: (step: () => Promise<void>) => searchAlone(database, network, step),
  }
}

function networkStore(database: Database, network: NetworkKey) {
  const { prisma } = database
  const { chainId } = network
  return {
    networkRow: () => readNetwork(prisma, chainId),
    register: (registration: NetworkRegistration) => registerNetwork(database, network, registration),
    configure: (epoch: number, deployment: Deployment) => configureNetwork(database, network, epoch, deployment),
    alignFees: (epoch: number, dexes: readonly Dex[]) => alignFees(database, network, epoch, dexes),
    lowerStart: (start: BlockPoint) => lowerStart(prisma, chainId, start),
    raiseStart: (start: BlockPoint) => beginAt(prisma, chainId, start),
    coveredRanges: () => readCoveredRanges(prisma, chainId),
    oldRanges: () => readOldRanges(prisma, chainId),
  }
}

async function beginAt(db: Db, chainId: number, start: BlockPoint): Promise<void> {
  await raiseStart(db, chainId, start)
  const gone = { from: 0, to: start.number - 1 }
  await deleteAwaitedKeys(db, chainId, gone)
  await deleteDenialsIn(db, chainId, gone)
}

function headStore(database: Database, network: NetworkKey) {
  const { prisma } = database
  return {
    reorgableBlocks: () => readBlocks(prisma, network.chainId),
    noteFinal: (epoch: number, finalNumber: number) => noteFinal(prisma, network, epoch, finalNumber),
    commitHead: (commit: HeadCommit) => commitHead(database, network, commit),
    commitSkipped: (commit: SkippedCommit) => commitSkipped(database, network, commit),
    rollBackBelowFinal: (epoch: number, block: BlockPoint, gonePools: readonly PoolAddress[]) =>
      rollBackBelowFinal(database, network, { epoch, block, gonePools }),
  }
}

function historyStore(database: Database, network: NetworkKey) {
  return {
    commitHistory: (commit: HistoryCommit) => commitHistory(database, network, commit),
    renew: (commit: HistoryCommit) => renewRange(database, network, commit),
  }
}

function poolStore({ prisma }: Database, { chainId }: NetworkKey) {
  return {
    loadPools: (addresses?: readonly PoolAddress[]) => readPools(prisma, chainId, addresses),
    loadTokens: (addresses?: readonly Address[]) => readTokens(prisma, chainId, addresses),
    foundPools: () => readFoundPools(prisma, chainId),
    poolsCreatedAbove: (block: number) => readPoolsCreatedAbove(prisma, chainId, block),
    poolTrades: () => readPoolTrades(prisma, chainId),
    changeUnreadPools: (epoch: number, changes: UnreadChanges) => writeUnreadPools(prisma, chainId, epoch, changes),
  }
}

function keyStore(database: Database, { chainId }: NetworkKey) {
  const { prisma } = database
  return {
    poolKeys: (pools: readonly PoolAddress[]) => readPoolKeys(prisma, chainId, pools),
    keyProgress: (manager: Address) => readKeyProgress(prisma, chainId, manager),
    saveKeys: (found: KeysFound) => saveKeys(database, chainId, found),
  }
}

function stateStore(database: Database, network: NetworkKey) {
  const { prisma } = database
  const { chainId } = network
  return {
    loadPoolStates: (atBlock?: number) => readPoolStates(prisma, chainId, atBlock),
    commitPoolStates: (snapshots: PoolSnapshots) => commitPoolStates(database, network, snapshots),
    overdrawnPools: (atBlock: number, deltas: readonly TickLiquidityAt[]) =>
      readOverdrawn(prisma, chainId, atBlock, deltas),
    invalidate: (pools: readonly InvalidatedPool[]) => invalidatePools(database, network, pools),
    invalidatedPools: () => readInvalidated(prisma, chainId),
    pruneStates: (after: number, last?: number) => pruneStates(database, chainId, after, last),
    dropPoolStates: (epoch: number) => dropPoolStates(database, network, epoch),
  }
}

function hourStore({ prisma }: Database, { chainId }: NetworkKey) {
  return {
    lastHour: () => readLastHour(prisma, chainId),
    saveHour: (hour: LiquidityHour) => writeHour(prisma, chainId, hour),
    savePoolHours: (time: number, held: readonly HeldAt[]) => writePoolHours(prisma, chainId, time, held),
    deleteInvalidHours: () => deleteInvalidHours(prisma, chainId),
    poolsAt: (block: number, pools: readonly PoolAddress[]) => readPoolsAt(prisma, chainId, block, pools),
    poolsChanged: (blocks: { above: number; to: number }, after: PoolAddress | null, limit: number) =>
      readPoolsChanged(prisma, chainId, blocks, after, limit),
  }
}

function stateChecks({ prisma }: Database, { chainId }: NetworkKey) {
  return {
    poolsWithState: (after: PoolAddress | null, limit: number) => readPoolsWithState(prisma, chainId, after, limit),
    committedStates: (pools: readonly PoolAddress[]) => readCommittedStates(prisma, chainId, pools),
    checkedPool: () => readCheckedPool(prisma, chainId),
    setCheckedPool: (pool: PoolAddress | null) => writeCheckedPool(prisma, chainId, pool),
  }
}

function repairs(database: Database, network: NetworkKey) {
  const { prisma } = database
  const { chainId } = network
  return {
    storedTrades: (range: BlockRange) => readStoredTrades(prisma, chainId, range),
    creationsIn: (range: BlockRange) => readCreationsIn(prisma, chainId, range),
    storedLiquidity: (range: BlockRange) => readStoredLiquidity(prisma, chainId, range),
    poolsOfTrades: (range: BlockRange) => readPoolsOfHops(prisma, chainId, range),
    replaceRange: (replacement: RangeReplacement) => replaceRange(database, network, replacement),
    audited: () => readAudited(prisma, chainId),
    setAudited: (number: number) => writeAudited(prisma, chainId, number),
    unconfirmedDenials: (final: number) => readUnconfirmedDenials(prisma, chainId, final),
    settleDenials: (denials: readonly UnconfirmedDenial[]) => deleteUnconfirmedDenials(prisma, chainId, denials),
  }
}

function dayStore(database: Database, network: NetworkKey) {
  const { prisma } = database
  const { chainId } = network
  return {
    daysOf: (range: BlockRange) => daysOfRange(prisma, chainId, range),
    compareDay: (day: number) => compareDay(prisma, day),
    recountDay: (day: number) => recountDay(database, day),
    dropDaysBefore: (day: number) => dropDaysBefore(database, day),
    keptSince: () => keptSinceTime(prisma),
    buildSearchIndexes: searchIndexBuilder(database),
    fillOrderFlow: (trades: number) => fillOrderFlow(database, network, trades),
    judgeWashDay: (thresholds: WashThresholds) => judgeWashDay(database, chainId, thresholds),
    lastWashDay: () => readWashDay(prisma, chainId),
  }
}

function supplies({ prisma }: Database, { chainId }: NetworkKey) {
  return {
    unreadSupplies: (limit: number) => readUnreadSupplies(prisma, chainId, limit),
    tokensAfter: (after: Address | null, limit: number) => readTokenPage(prisma, chainId, after, limit),
    saveSupplies: (supplies: ReadonlyMap<Address, bigint | null>) => updateSupplies(prisma, chainId, supplies),
  }
}

function lateValues(database: Database, { chainId }: NetworkKey) {
  return {
    awaitedTokens: () => readAwaitedTokens(database.prisma, chainId),
    settleAwaitedValues: (tokens: readonly Token[]) => settleAwaitedValues(database, chainId, tokens),
  }
}

function reports(database: Database, { chainId }: NetworkKey) {
  const { prisma } = database
  return {
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

function alerts(database: Database, network: NetworkKey) {
  const { prisma } = database
  const { chainId } = network
  return {
    firedAlerts: (keys: readonly AlertKey[]) => readFired(prisma, chainId, keys),
    storeAlerts: (changes: readonly AlertChange[]) => storeChanges(database, network, changes),
    lastAlert: () => readLastAlert(prisma, chainId),
    waitingAlerts: (webhook: string, limit: number, after = 0) =>
      readWaitingAlerts(prisma, chainId, webhook, limit, after),
    noteQueued: (webhook: string, numbers: readonly number[]) => noteQueued(prisma, chainId, webhook, numbers),
  }
}
