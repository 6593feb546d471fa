import type { PoolAddress } from '@dexfeed/dex'
import { LeaseLost, type WriterLease } from '@dexfeed/store'
import { type FillOptions, fillQueue } from './backfill/fill-queue.ts'
import type { NetworkContext } from './blocks/network-context.ts'
import { refreshReferences } from './blocks/reference-pools.ts'
import { judgeWashDays, type WashOptions } from './days/judge-wash-days.ts'
import { type RetentionOptions, retainDays } from './days/retain-days.ts'
import type { EventLedger } from './follow/event-ledger.ts'
import { findAnchor, followHeads, type HeadsOptions } from './follow/follow-heads.ts'
import { Follower, type FollowerDependencies } from './follow/follower.ts'
import type { FollowedPools } from './follow/pool-states/followed-pools.ts'
import { PoolRanks } from './follow/pool-states/pool-ranks.ts'
import { pruneStates, rankPools, readPools } from './follow/pool-states/pool-state-loops.ts'
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
  extends Pick<
      FollowerDependencies,
      'chain' | 'store' | 'deployment' | 'log' | 'onCommit' | 'onInvalidate' | 'deepReorgMs'
    >,
    Pick<FillOptions, 'queue' | 'jobs' | 'clock' | 'onProgress'>,
    Pick<RetentionOptions, 'retentionDays'>,
    Pick<HeadsOptions, 'priority'>,
    Pick<ReportUnreadOptions, 'onUnread'>,
    Pick<ReportVenuesOptions, 'onVenues'>,
    Pick<WashOptions, 'wash' | 'onWashDay'> {
  /** Receives what the audit of final blocks compared. Without it, the audit does not run. */
  onAudit?: ((part: CheckedPart) => void) | null
  /** Receives the pool states that were compared with the chain. Without it, none are compared. */
  onStates?: ((checked: CheckedStates) => void) | null
}

/**
 * Follows one network with the writer lease held.
 * 1. Waits for the lease, so that one process per network writes.
 * 2. Follows the head, keeps the backfill queue filled and maintains the rows. Returns or throws when the lease is
 *    lost, the follower cannot continue, or the signal aborts.
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
  const { chain, store, deployment, log, clock, onCommit, onAudit, onStates, onInvalidate, deepReorgMs } = options
  const { known, processor, registry, loadNew, bookAfter, freshBookBefore, references } = context
  // Other processes may have stored pools while this one waited.
  await loadNew()
  const anchor = await findAnchor(options, startBlock, epoch)
  const stop = new AbortController()
  const ended = AbortSignal.any([signal, stop.signal])
  const proven = new ProvenBlocks()
  const unlisten = chain.onDisproved((block) => proven.disprove(block))
  const noteCommit: typeof onCommit = (commit) => {
    if (onAudit) proven.note(commit)
    onCommit(commit)
  }
  const dependencies = {
    chain,
    store,
    deployment,
    known,
    processor,
    bookAfter,
    references,
    anchor,
    epoch,
    log,
    deepReorgMs,
    onInvalidate,
  }
  const ranks = new PoolRanks()
  const canProve = (pool: PoolAddress) => registry.canProve(pool)
  const follower = new Follower({ ...dependencies, ranks, canProve, onCommit: noteCommit })
  const invalidate: Follower['invalidate'] = (pools) => follower.invalidate(pools)
  const findDiffering: EventLedger['differing'] = (range, events) => follower.ledger.differing(range, events)
  const checker = new RangeChecker({ chain, store, known, processor, bookBefore: freshBookBefore, log, atHead: true })
  const stateChecker = new StateChecker({ chain, store, known, log })
  const isNearHead = () => follower.pools.readBlock !== null
  const resync: FollowedPools['resync'] = (pools) => follower.pools.resync(pools)
  const sampled = { resync, store, checker: stateChecker, known, isNearHead, invalidate, log, clock }
  log.info({ from: anchor.number, references: references.pools.length, pools: known.pools.size }, 'indexing')
  const loops = [
    followHeads(options, follower, epoch, ended),
    readPools({ pools: follower.pools, log, clock }, ended),
    rankPools({ store, ranks, log, clock }, ended),
    reportUnread({ ...options, pools: follower.pools }, epoch, ended),
    fillQueue({ ...options, loadNew }, ended),
    reportBudget(options, epoch, ended),
    onAudit ? auditFinal({ store, checker, proven, log, clock, onAudit, invalidate, findDiffering }, ended) : null,
    onStates ? sampleStates({ ...sampled, onStates }, ended) : null,
    retainDays(options, ended),
    readLateTokens(options, registry, ended),
    refreshReferences({ references, log, clock }, ended),
    judgeWashDays(options, ended),
    pruneStates(options, ended),
    reportVenues({ ...options, venues: processor.venues }, ended),
  ]
  try {
    await Promise.race([Promise.all(loops), lost.then(() => Promise.reject(new LeaseLost(deployment.network, epoch)))])
  } finally {
    unlisten()
    stop.abort()
    await Promise.allSettled(loops)
  }
}
