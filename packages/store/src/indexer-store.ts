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
import { readWashDay, type WashDay, type WashThresholds } from './tables/wash.ts'
import { alignFees } from './writing/align-fees.ts'
import { commitPoolStates, type PoolSnapshots } from './writing/commit-pool-states.ts'
import { commitRange, type RangeCommit } from './writing/commit-range.ts'
import { invalidatePools } from './writing/invalidate-pools.ts'
import { judgeWashDay } from './writing/judge-wash-day.ts'
import { pruneStates } from './writing/prune-states.ts'
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
import { acquireWriter, type WriterLease } from './writing/writer-lease.ts'

/** What an indexer needs of the database for one network. Everything rejects with a StoreError. */
export interface IndexerStore {
  /** Makes or takes up the network's row. @throws GenesisMismatch */
  register(registration: NetworkRegistration): Promise<RegisteredNetwork>
  /** Waits until this process alone may write as the follower. @throws the signal's reason */
  acquireWriter(signal: AbortSignal, onWait?: (reason: string) => void): Promise<WriterLease>
  /**
   * Makes the tokens with a trusted price and the curated ones those of the deployment, before the writer of this epoch
   * begins. @throws LeaseLost
   */
  configure(epoch: number, deployment: Deployment): Promise<void>
  /**
   * Makes the pools' fees those that their forks are configured with, and forgets states that were read by another
   * configuration or belong to a DEX that is none any more, before the writer of this epoch begins. @throws LeaseLost
   */
  alignFees(epoch: number, dexes: readonly Dex[]): Promise<void>
  networkRow(): Promise<NetworkRow | null>
  loadPools(): Promise<PoolRow[]>
  loadTokens(): Promise<Token[]>
  /** The keys of those of these managers' pools whose keys were met. */
  poolKeys(pools: readonly PoolAddress[]): Promise<Map<PoolAddress, PoolKey>>
  /** How far a manager's logs were searched for keys. */
  keyProgress(manager: Address): Promise<KeyProgress>
  /** Stores what a step of the search found; false: the search was moved meanwhile, and nothing is stored. */
  saveKeys(found: KeysFound): Promise<boolean>
  /** Does a step of the network's search unless another process is doing one (false). @throws what the step throws */
  searchAlone(step: () => Promise<void>): Promise<boolean>
  /** The newest states, or as of the end of a block that is not below the final one. */
  loadPoolStates(atBlock?: number): Promise<PoolStateAt[]>
  /** The pools that trades of the day before the head began at, in no order; reads all rows of that day. */
  poolTrades(): Promise<PoolTrades[]>
  /** Notes which pools have still to be read; `epoch`: of the writer's lease, without which it does not count. */
  changeUnreadPools(epoch: number, changes: UnreadChanges): Promise<void>
  /** Ascending; adjacent ones are one. */
  coveredRanges(): Promise<CoveredRange[]>
  /** Stored headers, ascending. */
  reorgableBlocks(): Promise<BlockHeader[]>
  /** @throws LeaseLost, RangeAlreadyCovered, ReorgTooDeep, BlocksNotLinked, BlockNotStored; nothing is written then */
  commit(commit: RangeCommit): Promise<void>
  /**
   * Gives the pools that were left out: found wrong since they were read.
   *
   * @throws LeaseLost, HeadMoved; nothing is written then
   */
  commitPoolStates(snapshots: PoolSnapshots): Promise<PoolAddress[]>
  /** The first pools behind one (null: of all) that have a state, in the order of their addresses. */
  poolsWithState(after: PoolAddress | null, limit: number): Promise<PoolAddress[]>
  /** What is stored of some pools as of one block, but for the invalidated ones. */
  committedStates(pools: readonly PoolAddress[]): Promise<CommittedStates>
  /** Notes that the states of pools are wrong as of a block; only a snapshot of a later one counts again. */
  invalidate(pools: readonly InvalidatedPool[]): Promise<void>
  invalidatedPools(): Promise<InvalidatedPool[]>
  /** The pools at whose ticks, as of the end of a block, these changes of later ones would leave less than nothing. */
  overdrawnPools(atBlock: number, deltas: readonly TickLiquidityAt[]): Promise<PoolAddress[]>
  /** The pool whose state was compared with the chain last; null: the next one is the first of all. */
  checkedPool(): Promise<PoolAddress | null>
  setCheckedPool(pool: PoolAddress | null): Promise<void>
  /** Deletes versions of states that no rollback can need; takes (-1 at first) and gives the final block. */
  pruneStates(after: number): Promise<number>
  /** Forgets pool states, headers and the rows that are not final. @throws LeaseLost */
  dropPoolStates(epoch: number): Promise<void>
  /** Says why the network stands still. `epoch`: of the writer's lease; without one it counts while nobody writes. */
  setDegraded(reason: string | null, epoch: number | null): Promise<void>
  /** Says which RPC budgets are too small to follow the head, by the epoch of the writer's lease; null: none. */
  setBudgetShortfall(shortfall: string | null, epoch: number): Promise<void>
  /** Says whether blocks are read now that nothing proves. */
  reportUnproven(isUnproven: boolean): Promise<void>
  /** Says which blocks are read without proof for their headers' unknown fields; null: none. */
  noteUnknownHeaders(headers: UnknownHeaders | null): Promise<void>
  /** Notes up to where the chain is final, before the follower's first commit does. @returns the highest noted @throws LeaseLost */
  noteFinal(epoch: number, finalNumber: number): Promise<number>
  /** Moves the first block that is meant to be covered back; never forward. */
  lowerStart(start: BlockPoint): Promise<void>
  /** Moves it forward, past what is no longer kept; never back. */
  raiseStart(start: BlockPoint): Promise<void>
  /** The rows of a range of blocks, in order. */
  storedTrades(range: BlockRange): Promise<StoredTrade[]>
  /** The pools that they went through. */
  poolsOfTrades(range: BlockRange): Promise<PoolAddress[]>
  /** Puts the right rows in the place of those of final, covered blocks. @throws RangeNotSettled */
  replaceRange(replacement: RangeReplacement): Promise<void>
  /** Rolls back what lies above a block although it was final. @throws LeaseLost */
  rollBackBelowFinal(epoch: number, block: BlockPoint, gonePools: readonly PoolAddress[]): Promise<void>
  /** The days (since 1970, UTC) on which a range of blocks has rows. */
  daysOf(range: BlockRange): Promise<number[]>
  /** The counters of a day that are not what its rows add up to, over all networks. */
  compareDay(day: number): Promise<DayDifference[]>
  /** Makes the counters of a day anew from its rows, over all networks. */
  recountDay(day: number): Promise<void>
  /** Emitters that one endpoint alone denied, with final blocks whose rows lack them. */
  unconfirmedDenials(final: number): Promise<UnconfirmedDenial[]>
  /** They were confirmed, or their blocks were read again. */
  settleDenials(denials: readonly UnconfirmedDenial[]): Promise<void>
  /** Up to which block the rows were audited. */
  audited(): Promise<number | null>
  setAudited(number: number): Promise<void>
  /** Drops the rows of days (since 1970, UTC) before this one that no network wants. @returns the partitions that are gone */
  dropDaysBefore(day: number): Promise<string[]>
  /** The first second (since 1970) whose rows are kept; null while all are. */
  keptSince(): Promise<number | null>
  /** Stores tokens that were read late, and what waited for them; gives how many trades' values wait on. */
  settleAwaitedValues(tokens: readonly Token[]): Promise<number>
  /** The tokens that values of stored trades wait for. */
  awaitedTokens(): Promise<Address[]>
  /** Judges the pools of the newest day that is due; null when none is. */
  judgeWashDay(thresholds: WashThresholds): Promise<WashDay | null>
  /** The newest day that was judged. */
  lastWashDay(): Promise<WashDay | null>
  /** What was counted of receipts that look like swaps; null: nothing yet. */
  venueCoverage(): Promise<VenueCoverage | null>
  setVenueCoverage(coverage: VenueCoverage): Promise<void>
  /** How many blocks of history a second are being covered. */
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

/** Nothing waits for blocks that are not wanted any more. */
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
