import type { Chain } from '@dexfeed/chain'
import { LeaseInterrupted, type WriterLease } from '@dexfeed/store'
import { type FillOptions, fillQueue } from './backfill/fill-queue.ts'
import { learnFound, type NetworkContext } from './blocks/network-context.ts'
import { refreshReferences } from './blocks/reference-pools.ts'
import { buildSearchIndexes } from './days/build-search-indexes.ts'
import { judgeWashDays, type WashOptions } from './days/judge-wash-days.ts'
import { type RetentionOptions, retainDays } from './days/retain-days.ts'
import type { EventLedger } from './follow/event-ledger.ts'
import { findAnchor, followHeads, type HeadsOptions } from './follow/follow-heads.ts'
import { Follower, type FollowerDependencies } from './follow/follower.ts'
import type { FollowedPools } from './follow/pool-states/followed-pools.ts'
import { pruneStates, rankPools, readPools } from './follow/pool-states/pool-state-loops.ts'
import { PoolRanks } from './follow/pool-states/read-order.ts'
import { type ReportActivityOptions, reportActivity } from './follow/report-activity.ts'
import {
  type ReportUnreadOptions,
  type ReportVenuesOptions,
  reportBudget,
  reportUnread,
  reportVenues,
} from './follow/report-status.ts'
import { readLateTokens } from './pools/tokens/late-tokens.ts'
import { auditFinal } from './verify/audit-final.ts'
import { sampleStates } from './verify/pool-states/sample-states.ts'
import { type CheckedStates, StateChecker } from './verify/pool-states/state-checker.ts'
import { ProvenBlocks } from './verify/proven-blocks.ts'
import { type CheckedPart, RangeChecker } from './verify/range-checker.ts'

export interface FollowOptions
  extends Pick<FollowerDependencies, 'store' | 'deployment' | 'log' | 'onCommit' | 'onInvalidate' | 'deepReorgMs'>,
    Pick<FillOptions, 'queue' | 'jobs' | 'clock' | 'onProgress' | 'onQueue'>,
    Pick<RetentionOptions, 'retentionDays'>,
    Pick<HeadsOptions, 'priority'>,
    Pick<ReportUnreadOptions, 'onUnread'>,
    Pick<ReportVenuesOptions, 'onVenues'>,
    Pick<ReportActivityOptions, 'activity'>,
    Pick<WashOptions, 'wash' | 'onWashDay'> {
  chain: Chain
  /** Receives what the audit of final blocks compared. Without it, the audit does not run. */
  onAudit?: ((part: CheckedPart) => void) | null
  /** Receives the pool states that were compared with the chain. Without it, none are compared. */
  onStates?: ((checked: CheckedStates) => void) | null
}

/**
 * Follows one network with the writer lease held.
 *
 * 1. Waits for the lease, so that one process per network writes.
 * 2. Follows the head, keeps the backfill queue filled and maintains the rows.
 *
 * Ends when the lease is lost, the follower cannot continue, or the signal aborts.
 */
export async function followNetwork(
  options: FollowOptions,
  context: NetworkContext,
  startBlock: number,
  signal: AbortSignal,
): Promise<void> {
  const { store, deployment, log } = options
  const lease = await store.acquireWriter(signal, (reason) => log.warn({ reason }, 'waiting to be the only writer'))
  try {
    await store.configure(lease.epoch, deployment)
    await store.alignFees(lease.epoch, deployment.dexes)
    await followWithLease(options, context, startBlock, lease, signal)
  } finally {
    await lease.release()
  }
}

async function followWithLease(
  options: FollowOptions,
  context: NetworkContext,
  startBlock: number,
  { epoch, lost }: WriterLease,
  signal: AbortSignal,
): Promise<void> {
  const { chain, store, deployment, log } = options
  const { known, references } = context
  // Other processes may have stored pools while this one waited.
  await context.loadNew()
  const anchor = await findAnchor(options, startBlock, epoch)
  const stop = new AbortController()
  const ended = AbortSignal.any([signal, stop.signal])
  const proven = new ProvenBlocks()
  const unlisten = chain.onDisproved((block) => proven.disprove(block))
  const ranks = new PoolRanks()
  const follower = openFollower(options, context, { anchor, epoch, ranks, proven })
  log.info({ from: anchor.number, references: references.pools.length, pools: known.pools.size }, 'indexing')
  const loops = [
    followHeads(options, follower, epoch, ended),
    fillQueue({ ...options, loadNew: context.loadNew }, ended),
    ...keepPoolStates(options, follower, ranks, ended),
    ...checkAgainstChain(options, context, follower, proven, ended),
    ...maintainRows(options, context, ended),
    reportUnread(
      { ...options, pools: follower.pools, learnFound: () => learnFound(store, deployment, known) },
      epoch,
      ended,
    ),
    reportBudget(options, epoch, ended),
    reportActivity(options, ended),
    reportVenues({ ...options, venues: context.processor.venues }, ended),
  ]
  try {
    await Promise.race([Promise.all(loops), lost.then(() => Promise.reject(new LeaseInterrupted(deployment.network)))])
  } finally {
    unlisten()
    stop.abort()
    await Promise.allSettled(loops)
  }
}

function openFollower(
  { chain, store, deployment, log, deepReorgMs, onInvalidate, onAudit, onCommit }: FollowOptions,
  { known, processor, bookAfter, references, registry }: NetworkContext,
  { proven, ...followed }: Pick<FollowerDependencies, 'anchor' | 'epoch' | 'ranks'> & { proven: ProvenBlocks },
): Follower {
  return new Follower({
    chain,
    store,
    deployment,
    log,
    deepReorgMs,
    onInvalidate,
    known,
    processor,
    bookAfter,
    references,
    ...followed,
    canProve: (pool) => registry.canProve(pool),
    onCommit: (commit) => {
      if (onAudit) proven.note(commit)
      onCommit(commit)
    },
  })
}

/** Reads pool states beside the follower, ranks the pools to read, and prunes old versions. */
function keepPoolStates(
  { store, log, clock }: FollowOptions,
  follower: Follower,
  ranks: PoolRanks,
  ended: AbortSignal,
) {
  return [
    readPools({ pools: follower.pools, log, clock }, ended),
    rankPools({ store, ranks, log, clock }, ended),
    pruneStates({ store, log, clock }, ended),
  ]
}

/** Compares final blocks without proof, and samples of the pool states, with the chain. */
function checkAgainstChain(
  { chain, store, log, clock, onAudit, onStates }: FollowOptions,
  { known, processor, freshBookBefore }: NetworkContext,
  follower: Follower,
  proven: ProvenBlocks,
  ended: AbortSignal,
) {
  const invalidate: Follower['invalidate'] = (pools) => follower.invalidate(pools)
  const findDiffering: EventLedger['differing'] = (range, events) => follower.ledger.differing(range, events)
  const books = { bookBefore: freshBookBefore, freshBookBefore }
  const checker = new RangeChecker({ chain, store, known, processor, ...books, log, atHead: true })
  const stateChecker = new StateChecker({ chain, store, known, log })
  const isNearHead = () => follower.pools.readBlock !== null
  const resync: FollowedPools['resync'] = (pools) => follower.pools.resync(pools)
  const sampled = { resync, store, checker: stateChecker, known, isNearHead, invalidate, log, clock }
  return [
    onAudit ? auditFinal({ store, checker, proven, log, clock, onAudit, invalidate, findDiffering }, ended) : null,
    onStates ? sampleStates({ ...sampled, onStates }, ended) : null,
  ]
}

function maintainRows(options: FollowOptions, { registry, references }: NetworkContext, ended: AbortSignal) {
  const { log, clock } = options
  return [
    retainDays(options, ended),
    judgeWashDays(options, ended),
    buildSearchIndexes(options, ended),
    readLateTokens(options, registry, ended),
    refreshReferences({ references, log, clock }, ended),
  ]
}
