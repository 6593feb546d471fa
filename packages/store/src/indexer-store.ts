import { type BlockPoint, NETWORKS, type NetworkName, type PoolAddress } from '@dexfeed/dex'
import { bound } from './bound.ts'
import type { Database } from './database/database.ts'
import { type Db, inTransaction } from './database/transaction.ts'
import { readCommittedStates } from './reading/committed-states.ts'
import { readPoolsAt } from './reading/pools-at.ts'
import { withStoreErrors } from './store-error.ts'
import { noteQueued, readFired, readLastAlert, readWaitingAlerts } from './tables/alert.ts'
import { readAudited, readCheckedPool, writeAudited, writeCheckedPool } from './tables/audit.ts'
import { readAwaitedTokens } from './tables/awaited-value.ts'
import { readBlocks } from './tables/block.ts'
import { readCoveredRanges, readOldRanges } from './tables/covered-range.ts'
import { daysOfRange } from './tables/day-partition.ts'
import { readInvalidated } from './tables/invalidated-pool.ts'
import { keptSinceTime } from './tables/kept-days.ts'
import { deleteAwaitedKeys } from './tables/keys/awaited-key.ts'
import { readKeyProgress } from './tables/keys/key-search.ts'
import { readPoolKeys } from './tables/keys/pool-key.ts'
import { deleteDenialsIn, deleteUnconfirmedDenials, readUnconfirmedDenials } from './tables/keys/unconfirmed-denial.ts'
import { countLakeDays, readFirstUnwrittenDay } from './tables/lake-day.ts'
import { readStoredLiquidity } from './tables/liquidity-event.ts'
import { deleteInvalidHours, readLastHour, writeHour, writePoolHours } from './tables/liquidity-hour.ts'
import {
  lowerStart,
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
import { writeNetworkActivity } from './tables/status/network-activity.ts'
import { noteUnknownHeaders } from './tables/status/unknown-header.ts'
import { readVenueCoverage, type VenueCoverage, writeVenueCoverage } from './tables/status/venue-coverage.ts'
import { readPoolTrades, readStoredTrades } from './tables/swap/swap.ts'
import { readPoolsOfHops } from './tables/swap/swap-hop.ts'
import { readTokenPage, readTokens, readUnreadSupplies, updateSupplies } from './tables/token.ts'
import { readFoundPools, writeUnreadPools } from './tables/unread-pool.ts'
import { judgeWashDay, readWashDay } from './tables/wash.ts'
import { commitHead, commitHistory, commitSkipped } from './writing/commit-range.ts'
import { fillOrderFlow } from './writing/fill-order-flow.ts'
import { storeChanges } from './writing/judge-alerts.ts'
import { alignFees, configureNetwork, registerNetwork } from './writing/register-network.ts'
import { renewRange, replaceRange } from './writing/replace-range.ts'
import { restoreDays } from './writing/restore-days.ts'
import { dropPoolStates, rollBackBelowFinal } from './writing/roll-back.ts'
import { saveKeys, searchAlone } from './writing/search-keys.ts'
import { settleAwaitedValues } from './writing/settle-awaited-values.ts'
import { compareDay, dropDaysBefore, recountDay, searchIndexBuilder } from './writing/whole-days.ts'
import { commitPoolStates, invalidatePools, pruneStates } from './writing/write-pool-states.ts'
import { acquireWriter } from './writing/writer-lease.ts'

export type IndexerStore = ReturnType<typeof openIndexerStore>

/**
 * Joins functions on one network; each loop and command declares the methods that it needs. Methods reject with a
 * StoreError.
 */
export function openIndexerStore(database: Database, name: NetworkName) {
  const { prisma } = database
  const { chainId } = NETWORKS[name]
  const network = { chainId, name }
  return {
    ...withStoreErrors({
      ...bound([prisma, chainId], ROWS),
      ...bound([database, chainId], { saveKeys, pruneStates, judgeWashDay, settleAwaitedValues }),
      ...bound([database, network], COMMITS),
      ...bound([prisma], { compareDay, keptSince: keptSinceTime, firstUnwrittenDay: readFirstUnwrittenDay }),
      ...bound([database], { recountDay, dropDaysBefore, restoreDays }),
      noteFinal: (epoch: number, finalNumber: number) => noteFinal(prisma, network, epoch, finalNumber),
      rollBackBelowFinal: (epoch: number, block: BlockPoint, gonePools: readonly PoolAddress[]) =>
        rollBackBelowFinal(database, network, { epoch, block, gonePools }),
      buildSearchIndexes: searchIndexBuilder(database),
      venueCoverage: async () => (await readVenueCoverage(prisma)).get(chainId) ?? null,
      setVenueCoverage: (coverage: VenueCoverage) =>
        inTransaction(database, (tx) => writeVenueCoverage(tx, chainId, coverage)),
    }),
    ...bound([database, network], { acquireWriter, searchAlone }),
  }
}

/** By chain, each in a statement or transaction of its own. */
const ROWS = {
  networkRow: readNetwork,
  lowerStart,
  raiseStart: beginAt,
  coveredRanges: readCoveredRanges,
  oldRanges: readOldRanges,
  reorgableBlocks: readBlocks,
  loadPools: readPools,
  loadTokens: readTokens,
  foundPools: readFoundPools,
  poolsCreatedAbove: readPoolsCreatedAbove,
  poolTrades: readPoolTrades,
  changeUnreadPools: writeUnreadPools,
  poolKeys: readPoolKeys,
  keyProgress: readKeyProgress,
  loadPoolStates: readPoolStates,
  overdrawnPools: readOverdrawn,
  invalidatedPools: readInvalidated,
  poolsWithState: readPoolsWithState,
  committedStates: readCommittedStates,
  checkedPool: readCheckedPool,
  setCheckedPool: writeCheckedPool,
  lastHour: readLastHour,
  saveHour: writeHour,
  savePoolHours: writePoolHours,
  deleteInvalidHours,
  poolsAt: readPoolsAt,
  poolsChanged: readPoolsChanged,
  storedTrades: readStoredTrades,
  creationsIn: readCreationsIn,
  storedLiquidity: readStoredLiquidity,
  poolsOfTrades: readPoolsOfHops,
  audited: readAudited,
  setAudited: writeAudited,
  unconfirmedDenials: readUnconfirmedDenials,
  settleDenials: deleteUnconfirmedDenials,
  daysOf: daysOfRange,
  lastWashDay: readWashDay,
  lakeDays: countLakeDays,
  unreadSupplies: readUnreadSupplies,
  tokensAfter: readTokenPage,
  saveSupplies: updateSupplies,
  awaitedTokens: readAwaitedTokens,
  setDegraded,
  setBudgetShortfall,
  reportUnproven,
  noteUnknownHeaders,
  setActivity: writeNetworkActivity,
  setBackfillRate: writeBackfillRate,
  firedAlerts: readFired,
  lastAlert: readLastAlert,
  waitingAlerts: readWaitingAlerts,
  noteQueued,
}

/** By network, in transactions. */
const COMMITS = {
  register: registerNetwork,
  configure: configureNetwork,
  alignFees,
  commitHead,
  commitSkipped,
  commitHistory,
  renew: renewRange,
  replaceRange,
  commitPoolStates,
  invalidate: invalidatePools,
  dropPoolStates,
  fillOrderFlow,
  storeAlerts: storeChanges,
}

async function beginAt(db: Db, chainId: number, start: BlockPoint): Promise<void> {
  await raiseStart(db, chainId, start)
  const gone = { from: 0, to: start.number - 1 }
  await deleteAwaitedKeys(db, chainId, gone)
  await deleteDenialsIn(db, chainId, gone)
}
