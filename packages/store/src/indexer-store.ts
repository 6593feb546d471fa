import {
  type Address,
  type BlockHeader,
  type BlockPoint,
  type BlockRange,
  type CoveredRange,
  type Deployment,
  type Dex,
  NETWORKS,
  type NetworkName,
  type PoolAddress,
  type PoolKey,
  type PoolStateAt,
  startOfDay,
  type TickLiquidityAt,
  type Token,
} from '@dexfeed/dex'
import type { Database } from './database/database.ts'
import { type Db, inTransaction } from './database/transaction.ts'
import { type CommittedStates, readCommittedStates } from './reading/committed-states.ts'
import { asStoreError } from './store-error.ts'
import { readAudited, readCheckedPool, writeAudited, writeCheckedPool } from './tables/audit.ts'
import { readAwaitedTokens } from './tables/awaited-value.ts'
import { readBlocks } from './tables/block.ts'
import { readCoveredRanges } from './tables/covered-range.ts'
import { daysOfRange } from './tables/day-partition.ts'
import { keptSince } from './tables/kept-days.ts'
import { deleteAwaitedKeys } from './tables/keys/awaited-key.ts'
import { type KeyProgress, readKeyProgress } from './tables/keys/key-search.ts'
import { readPoolKeys } from './tables/keys/pool-key.ts'
import {
  deleteDenialsIn,
  deleteUnconfirmedDenials,
  readUnconfirmedDenials,
  type UnconfirmedDenial,
} from './tables/keys/unconfirmed-denial.ts'
import {
  lowerStart,
  type NetworkRow,
  noteFinal,
  raiseStart,
  readNetwork,
  reportUnproven,
  setBudgetShortfall,
  setDegraded,
} from './tables/network.ts'
import { type PoolRow, readPools, type UnreadChanges, writeUnreadPools } from './tables/pool.ts'
import { type InvalidatedPool, readInvalidated, readPoolStates, readPoolsWithState } from './tables/pool-state.ts'
import { readOverdrawn } from './tables/pool-tick.ts'
import { writeBackfillRate } from './tables/status/backfill-rate.ts'
import { noteUnknownHeaders, type UnknownHeaders } from './tables/status/unknown-header.ts'
import { readVenueCoverage, type VenueCoverage, writeVenueCoverage } from './tables/status/venue-coverage.ts'
import { type PoolTrades, readPoolTrades, readStoredTrades, type StoredTrade } from './tables/swap/swap.ts'
import { readPoolsOfHops } from './tables/swap/swap-hop.ts'
import { readTokens } from './tables/token.ts'
import { judgeWashDay, readWashDay, type WashDay, type WashThresholds } from './tables/wash.ts'
import { alignFees } from './writing/align-fees.ts'
import { commitRange, type RangeCommit } from './writing/commit-range.ts'
import { compareDay, type DayDifference, recountDay } from './writing/recount-day.ts'
import {
  configureNetwork,
  type NetworkRegistration,
  type RegisteredNetwork,
  registerNetwork,
} from './writing/register-network.ts'
import { type RangeReplacement, replaceRange } from './writing/replace-range.ts'
import { dropDaysBefore } from './writing/retain-days.ts'
import { dropPoolStates, rollBackBelowFinal } from './writing/roll-back.ts'
import { type KeysFound, saveKeys, searchAlone } from './writing/search-keys.ts'
import { settleAwaitedValues } from './writing/settle-awaited-values.ts'
import { commitPoolStates, invalidatePools, type PoolSnapshots, pruneStates } from './writing/write-pool-states.ts'
import { acquireWriter, type WriterLease } from './writing/writer-lease.ts'

/**
 * What an indexer needs of the database for one network. Every method rejects with a StoreError. A method without a
 * comment here is described at the function that it calls.
 */
export interface IndexerStore {
  /** Inserts or reuses the network's row. @throws GenesisMismatch */
  register(registration: NetworkRegistration): Promise<RegisteredNetwork>
  /** Waits until only this process may write as the follower. @throws the signal's reason */
  acquireWriter(signal: AbortSignal, onWait?: (reason: string) => void): Promise<WriterLease>
  configure(epoch: number, deployment: Deployment): Promise<void>
  alignFees(epoch: number, dexes: readonly Dex[]): Promise<void>
  networkRow(): Promise<NetworkRow | null>
  loadPools(): Promise<PoolRow[]>
  loadTokens(): Promise<Token[]>
  poolKeys(pools: readonly PoolAddress[]): Promise<Map<PoolAddress, PoolKey>>
  keyProgress(manager: Address): Promise<KeyProgress>
  /** Stores what a step of the search found. @returns false, and stores nothing, if the search was moved meanwhile */
  saveKeys(found: KeysFound): Promise<boolean>
  /**
   * Runs a step of the network's search. @returns false if another process is running one @throws what the step throws
   */
  searchAlone(step: () => Promise<void>): Promise<boolean>
  loadPoolStates(atBlock?: number): Promise<PoolStateAt[]>
  poolTrades(): Promise<PoolTrades[]>
  /** Notes which pools have still to be read; `epoch`: of the writer's lease. Writes from a stale epoch are ignored. */
  changeUnreadPools(epoch: number, changes: UnreadChanges): Promise<void>
  /** Ascending; no two are adjacent. */
  coveredRanges(): Promise<CoveredRange[]>
  /** Stored headers, ascending. */
  reorgableBlocks(): Promise<BlockHeader[]>
  commit(commit: RangeCommit): Promise<void>
  /**
   * Returns the pools that were left out: found wrong since they were read.
   *
   * @throws LeaseLost, HeadMoved; nothing is written then
   */
  commitPoolStates(snapshots: PoolSnapshots): Promise<PoolAddress[]>
  poolsWithState(after: PoolAddress | null, limit: number): Promise<PoolAddress[]>
  committedStates(pools: readonly PoolAddress[]): Promise<CommittedStates>
  /** Marks the states of pools as wrong as of a block; only a snapshot of a later block makes them valid again. */
  invalidate(pools: readonly InvalidatedPool[]): Promise<void>
  invalidatedPools(): Promise<InvalidatedPool[]>
  overdrawnPools(atBlock: number, deltas: readonly TickLiquidityAt[]): Promise<PoolAddress[]>
  checkedPool(): Promise<PoolAddress | null>
  setCheckedPool(pool: PoolAddress | null): Promise<void>
  /**
   * Deletes versions of states that no rollback can need. Takes the final block of the previous call (-1 at first).
   * @returns the final block
   */
  pruneStates(after: number): Promise<number>
  dropPoolStates(epoch: number): Promise<void>
  setDegraded(reason: string | null, epoch: number | null): Promise<void>
  setBudgetShortfall(shortfall: string | null, epoch: number): Promise<void>
  reportUnproven(isUnproven: boolean): Promise<void>
  noteUnknownHeaders(headers: UnknownHeaders | null): Promise<void>
  /** Notes up to which block the chain is final, before the follower's first commit. @throws LeaseLost */
  noteFinal(epoch: number, finalNumber: number): Promise<number>
  lowerStart(start: BlockPoint): Promise<void>
  /** Moves the first block to cover forward, past what is no longer kept; never back. */
  raiseStart(start: BlockPoint): Promise<void>
  storedTrades(range: BlockRange): Promise<StoredTrade[]>
  poolsOfTrades(range: BlockRange): Promise<PoolAddress[]>
  replaceRange(replacement: RangeReplacement): Promise<void>
  rollBackBelowFinal(epoch: number, block: BlockPoint, gonePools: readonly PoolAddress[]): Promise<void>
  daysOf(range: BlockRange): Promise<number[]>
  compareDay(day: number): Promise<DayDifference[]>
  recountDay(day: number): Promise<void>
  unconfirmedDenials(final: number): Promise<UnconfirmedDenial[]>
  settleDenials(denials: readonly UnconfirmedDenial[]): Promise<void>
  audited(): Promise<number | null>
  setAudited(number: number): Promise<void>
  /** Drops the rows of days (since 1970, UTC) before this one that no network needs. @returns the dropped partitions */
  dropDaysBefore(day: number): Promise<string[]>
  /** Returns the first second (since 1970) whose rows are kept; null if all are. */
  keptSince(): Promise<number | null>
  /** Stores tokens that were read late, and the values that waited for them. @returns how many values still wait */
  settleAwaitedValues(tokens: readonly Token[]): Promise<number>
  awaitedTokens(): Promise<Address[]>
  judgeWashDay(thresholds: WashThresholds): Promise<WashDay | null>
  lastWashDay(): Promise<WashDay | null>
  /** Returns the counts of receipts that look like swaps; null: nothing yet. */
  venueCoverage(): Promise<VenueCoverage | null>
  setVenueCoverage(coverage: VenueCoverage): Promise<void>
  setBackfillRate(blocksPerS: number): Promise<void>
}

export function openIndexerStore(database: Database, name: NetworkName): IndexerStore {
  const { prisma } = database
  const { chainId } = NETWORKS[name]
  const network = { chainId, name }
  return {
    register: (registration) => failing(registerNetwork(database, network, registration)),
    acquireWriter: (signal, onWait) => acquireWriter(database, network, signal, onWait),
    configure: (epoch, deployment) => failing(configureNetwork(database, network, epoch, deployment)),
    alignFees: (epoch, dexes) => failing(alignFees(database, network, epoch, dexes)),
    networkRow: () => failing(readNetwork(prisma, chainId)),
    loadPools: () => failing(readPools(prisma, chainId)),
    loadTokens: () => failing(readTokens(prisma, chainId)),
    poolKeys: (pools) => failing(readPoolKeys(prisma, chainId, pools)),
    keyProgress: (manager) => failing(readKeyProgress(prisma, chainId, manager)),
    saveKeys: (found) => saveKeys(database, chainId, found),
    searchAlone: (step) => searchAlone(database, network, step),
    loadPoolStates: (atBlock) => failing(readPoolStates(prisma, chainId, atBlock)),
    poolTrades: () => failing(readPoolTrades(prisma, chainId)),
    changeUnreadPools: (epoch, changes) => failing(writeUnreadPools(prisma, chainId, epoch, changes)),
    coveredRanges: () => failing(readCoveredRanges(prisma, chainId)),
    reorgableBlocks: () => failing(readBlocks(prisma, chainId)),
    commit: (commit) => failing(commitRange(database, network, commit)),
    commitPoolStates: (snapshots) => commitPoolStates(database, network, snapshots),
    poolsWithState: (after, limit) => failing(readPoolsWithState(prisma, chainId, after, limit)),
    committedStates: (pools) => failing(readCommittedStates(prisma, chainId, pools)),
    invalidate: (pools) => invalidatePools(database, network, pools),
    invalidatedPools: () => failing(readInvalidated(prisma, chainId)),
    overdrawnPools: (atBlock, deltas) => failing(readOverdrawn(prisma, chainId, atBlock, deltas)),
    checkedPool: () => failing(readCheckedPool(prisma, chainId)),
    setCheckedPool: (pool) => failing(writeCheckedPool(prisma, chainId, pool)),
    pruneStates: (after) => failing(pruneStates(database, chainId, after)),
    dropPoolStates: (epoch) => dropPoolStates(database, network, epoch),
    setDegraded: (reason, epoch) => failing(setDegraded(prisma, chainId, reason, epoch)),
    setBudgetShortfall: (shortfall, epoch) => failing(setBudgetShortfall(prisma, chainId, shortfall, epoch)),
    reportUnproven: (isUnproven) => failing(reportUnproven(prisma, chainId, isUnproven)),
    noteUnknownHeaders: (headers) => failing(noteUnknownHeaders(prisma, chainId, headers)),
    noteFinal: (epoch, finalNumber) => failing(noteFinal(prisma, network, epoch, finalNumber)),
    lowerStart: (start) => failing(lowerStart(prisma, chainId, start)),
    raiseStart: (start) => failing(beginAt(prisma, chainId, start)),
    poolsOfTrades: (range) => failing(readPoolsOfHops(prisma, chainId, range)),
    storedTrades: (range) => failing(readStoredTrades(prisma, chainId, range)),
    replaceRange: (replacement) => failing(replaceRange(database, network, replacement)),
    rollBackBelowFinal: (epoch, block, gonePools) => rollBackBelowFinal(database, network, epoch, block, gonePools),
    daysOf: (range) => failing(daysOfRange(prisma, chainId, range)),
    compareDay: (day) => failing(compareDay(prisma, day)),
    recountDay: (day) => recountDay(database, day),
    unconfirmedDenials: (final) => failing(readUnconfirmedDenials(prisma, chainId, final)),
    settleDenials: (denials) => failing(deleteUnconfirmedDenials(prisma, chainId, denials)),
    audited: () => failing(readAudited(prisma, chainId)),
    setAudited: (number) => failing(writeAudited(prisma, chainId, number)),
    dropDaysBefore: (day) => dropDaysBefore(database, day),
    async keptSince() {
      const day = await failing(keptSince(prisma))
      return day === null ? null : startOfDay(day)
    },
    settleAwaitedValues: (tokens) => failing(settleAwaitedValues(database, chainId, tokens)),
    awaitedTokens: () => failing(readAwaitedTokens(prisma, chainId)),
    judgeWashDay: (thresholds) => judgeWashDay(database, chainId, thresholds),
    lastWashDay: () => failing(readWashDay(prisma, chainId)),
    venueCoverage: async () => (await failing(readVenueCoverage(prisma))).get(chainId) ?? null,
    setVenueCoverage: (coverage) => failing(inTransaction(database, (tx) => writeVenueCoverage(tx, chainId, coverage))),
    setBackfillRate: (blocksPerS) => failing(writeBackfillRate(prisma, chainId, blocksPerS)),
  }
}

/** No block before the new start waits for keys or has denials any more. */
async function beginAt(db: Db, chainId: number, start: BlockPoint): Promise<void> {
  await raiseStart(db, chainId, start)
  const gone = { from: 0, to: start.number - 1 }
  await deleteAwaitedKeys(db, chainId, gone)
  await deleteDenialsIn(db, chainId, gone)
}

async function failing<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    // A RangeError is a mistake of the caller, not of the database.
    throw error instanceof RangeError ? error : asStoreError(error)
  }
}
