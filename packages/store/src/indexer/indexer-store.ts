import {
  type Address,
  type BlockHeader,
  type BlockPoint,
  type CoveredRange,
  NETWORKS,
  type NetworkName,
  type PoolStateAt,
  startOfDay,
  type Token,
} from '@dexfeed/dex'
import { asStoreError } from '../as-store-error.ts'
import { commitPoolStates, type PoolSnapshots } from '../commit/commit-pool-states.ts'
import { commitRange } from '../commit/commit-range.ts'
import { dropPoolStates } from '../commit/drop-pool-states.ts'
import { keptSince } from '../commit/kept-days.ts'
import { leaveBranch } from '../commit/leave-branch.ts'
import type { RangeCommit } from '../commit/range-commit.ts'
import { type RangeReplacement, replaceRange } from '../commit/replace-range.ts'
import type { Database } from '../database.ts'
import { bytesToHex } from '../hex.ts'
import { readAudited, writeAudited } from './audit-progress.ts'
import { writeBackfillRate } from './backfill-rate.ts'
import { dropDaysBefore } from './drop-old-days.ts'
import { judgeWashDay, lastWashDay, type WashDay, type WashThresholds } from './judge-wash-day.ts'
import { loadPoolStates } from './load-pool-states.ts'
import { loadPools, type PoolRow } from './load-pools.ts'
import { loadTokens } from './load-tokens.ts'
import { lowerStart } from './lower-start.ts'
import { type NetworkRow, secondsOf, toNetworkRow } from './network-row.ts'
import { noteFinal } from './note-final.ts'
import { raiseStart } from './raise-start.ts'
import { compareDay, type DayDifference, daysOfRange, recountDay } from './recount-day.ts'
import { type NetworkRegistration, registerNetwork } from './register-network.ts'
import { setDegraded } from './set-degraded.ts'
import { settleAwaitedValues } from './settle-awaited-values.ts'
import { readStoredTrades, type StoredTrade } from './stored-trades.ts'
import { acquireWriter, type WriterLease } from './writer-lease.ts'

/** What an indexer needs of the database for one network. Everything rejects with a StoreError. */
export interface IndexerStore {
  /** Makes or takes up the network's row and its curated tokens. @throws GenesisMismatch */
  register(registration: NetworkRegistration): Promise<NetworkRow>
  /** Waits until this process alone may write as the follower. @throws the signal's reason */
  acquireWriter(signal: AbortSignal, onWait?: (reason: string) => void): Promise<WriterLease>
  networkRow(): Promise<NetworkRow | null>
  loadPools(): Promise<PoolRow[]>
  loadTokens(): Promise<Token[]>
  /** The newest states, or as of the end of a block that is not below the final one. */
  loadPoolStates(atBlock?: number): Promise<PoolStateAt[]>
  /** Ascending; adjacent ones are one. */
  coveredRanges(): Promise<CoveredRange[]>
  /** Stored headers, ascending. */
  reorgableBlocks(): Promise<BlockHeader[]>
  /** @throws LeaseLost, RangeAlreadyCovered, ReorgTooDeep, BlocksNotLinked; nothing is written then */
  commit(commit: RangeCommit): Promise<void>
  /** @throws LeaseLost, HeadMoved; nothing is written then */
  commitPoolStates(snapshots: PoolSnapshots): Promise<void>
  /** Forgets pool states and headers. @throws LeaseLost */
  dropPoolStates(epoch: number): Promise<void>
  /** Says why the network stands still. `epoch`: of the writer's lease; without one it is heard while nobody writes. */
  setDegraded(reason: string | null, epoch: number | null): Promise<void>
  /** Notes up to where the chain is final, before the follower's first commit tells so. @throws LeaseLost */
  noteFinal(epoch: number, finalNumber: number): Promise<void>
  /** Moves the first block that is meant to be covered back; never forward. */
  lowerStart(start: BlockPoint): Promise<void>
  /** Moves it forward, past what is no longer kept; never back. */
  raiseStart(start: BlockPoint): Promise<void>
  /** The rows of a range of blocks, in order. */
  storedTrades(range: { from: number; to: number }): Promise<StoredTrade[]>
  /** Puts the right rows in the place of those of final, covered blocks. @throws RangeNotSettled */
  replaceRange(replacement: RangeReplacement): Promise<void>
  /** Takes back what lies above a block although it was final, and forgets that branch. @throws LeaseLost */
  leaveBranch(epoch: number, block: BlockPoint, gonePools: readonly Address[]): Promise<void>
  /** The days (since 1970, UTC) on which a range of blocks has rows. */
  daysOf(range: { from: number; to: number }): Promise<number[]>
  /** The counters of a day that are not what its rows add up to, over all networks. */
  compareDay(day: number): Promise<DayDifference[]>
  /** Makes the counters of a day anew from its rows, over all networks. */
  recountDay(day: number): Promise<void>
  /** Up to which block the rows were audited. */
  audited(): Promise<number | null>
  setAudited(number: number): Promise<void>
  /** Drops the rows of all networks of days (since 1970, UTC) before this one. @returns the partitions that are gone */
  dropDaysBefore(day: number): Promise<string[]>
  /** The first second (since 1970) whose rows are kept; null while all are. */
  keptSince(): Promise<number | null>
  /** Stores tokens that were read late, and what waited for them; gives how many trades' values wait on. */
  settleAwaitedValues(tokens: readonly Token[]): Promise<number>
  /** Judges the pools of the newest day that is due; null when none is. */
  judgeWashDay(thresholds: WashThresholds): Promise<WashDay | null>
  /** The newest day that was judged. */
  lastWashDay(): Promise<WashDay | null>
  /** How many blocks of history a second are being covered. */
  setBackfillRate(blocksPerS: number): Promise<void>
}

export function openIndexerStore(database: Database, name: NetworkName): IndexerStore {
  const { pool, prisma } = database
  const { chainId } = NETWORKS[name]
  const network = { chainId, name }
  const networkRow = async () => {
    const row = await prisma.network.findUnique({ where: { chainId } })
    return row && toNetworkRow(row, name)
  }
  return {
    async register(registration) {
      await registerNetwork(pool, network, registration)
      const row = await telling(networkRow())
      if (!row) throw new Error(`the row of ${name} vanished`)
      return row
    },
    acquireWriter: (signal, onWait) => acquireWriter(database, network, signal, onWait),
    networkRow: () => telling(networkRow()),
    loadPools: () => telling(loadPools(pool, chainId)),
    loadTokens: () => telling(loadTokens(pool, chainId)),
    loadPoolStates: (atBlock) => telling(loadPoolStates(pool, chainId, atBlock)),
    coveredRanges: () => telling(coveredRanges(database, chainId)),
    reorgableBlocks: () => telling(reorgableBlocks(database, chainId)),
    commit: (commit) => commitRange(pool, network, commit).catch(rethrow),
    commitPoolStates: (snapshots) => commitPoolStates(pool, network, snapshots),
    dropPoolStates: (epoch) => dropPoolStates(pool, network, epoch),
    noteFinal: (epoch, finalNumber) => telling(noteFinal(pool, network, epoch, finalNumber)),
    lowerStart: (start) => telling(lowerStart(pool, chainId, start)),
    raiseStart: (start) => telling(raiseStart(pool, chainId, start)),
    storedTrades: (range) => telling(readStoredTrades(pool, chainId, range)),
    replaceRange: (replacement) => replaceRange(pool, network, replacement).catch(rethrow),
    leaveBranch: (epoch, block, gonePools) => leaveBranch(pool, network, epoch, block, gonePools),
    daysOf: (range) => telling(daysOfRange(pool, chainId, range)),
    compareDay: (day) => telling(compareDay(pool, day)),
    recountDay: (day) => recountDay(pool, day),
    audited: () => telling(readAudited(pool, chainId)),
    setAudited: (number) => telling(writeAudited(pool, chainId, number)),
    dropDaysBefore: (day) => dropDaysBefore(database, day),
    keptSince: async () => {
      const day = await telling(keptSince(pool))
      return day === null ? null : startOfDay(day)
    },
    settleAwaitedValues: (tokens) => telling(settleAwaitedValues(pool, chainId, tokens)),
    lastWashDay: () => telling(lastWashDay(pool, chainId)),
    judgeWashDay: (thresholds) => telling(judgeWashDay(pool, chainId, thresholds)),
    setBackfillRate: (blocksPerS) => telling(writeBackfillRate(pool, chainId, blocksPerS)),
    setDegraded: (reason, epoch) => telling(setDegraded(pool, chainId, reason, epoch)),
  }
}

async function coveredRanges({ prisma }: Database, chainId: number): Promise<CoveredRange[]> {
  const rows = await prisma.coveredRange.findMany({ where: { chainId }, orderBy: { fromBlock: 'asc' } })
  return rows.map(({ fromBlock, toBlock, fromTime, toTime }) => ({
    from: Number(fromBlock),
    to: Number(toBlock),
    fromTime: secondsOf(fromTime),
    toTime: secondsOf(toTime),
  }))
}

async function reorgableBlocks({ prisma }: Database, chainId: number): Promise<BlockHeader[]> {
  const rows = await prisma.block.findMany({ where: { chainId }, orderBy: { number: 'asc' } })
  return rows.map(({ number, hash, parentHash, blockTime }) => ({
    number: Number(number),
    hash: bytesToHex(hash),
    parentHash: bytesToHex(parentHash),
    timestamp: secondsOf(blockTime),
  }))
}

async function telling<T>(work: Promise<T>): Promise<T> {
  return work.catch(rethrow)
}

function rethrow(error: unknown): never {
  // A RangeError is a mistake of the caller, not of the database.
  throw error instanceof RangeError ? error : asStoreError(error)
}
