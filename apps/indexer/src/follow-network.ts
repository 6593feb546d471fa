import type { EventEmitter } from 'node:events'
import type { Chain } from '@dexfeed/chain'
import type { BlockHeader, Deployment } from '@dexfeed/dex'
import { type IndexerStore, LeaseInterrupted, type RangeCommit, type WashThresholds } from '@dexfeed/store'
import type { NetworkAlerts } from './alerts/alerts.ts'
import { fillQueue, type HistoryProgress } from './backfill/queue-loops.ts'
import { learnFound, type NetworkContext } from './blocks/network-context.ts'
import { refreshReferences } from './blocks/reference-pools.ts'
import { buildSearchIndexes, fillOrderFlow, judgeWashDays, retainDays, type WashReports } from './days/day-loops.ts'
import { type LakeReports, type RetainingLake, reportLake } from './days/lake-days.ts'
import type { RestoreOptions } from './days/restore-days.ts'
import { findAnchor, followHeads, type StepPriority } from './follow/follow-heads.ts'
import { Follower } from './follow/follower.ts'
import { pruneStates, rankPools, readPools } from './follow/pool-states/pool-state-loops.ts'
import { PoolRanks } from './follow/pool-states/read-order.ts'
import { type CountedActivity, reportActivity } from './follow/report-activity.ts'
import { type HeadReports, reportBudget, reportUnread, reportVenues } from './follow/report-status.ts'
import type { LoopContext } from './loops/loop.ts'
import { readLateTokens } from './pools/tokens/late-tokens.ts'
import { readSupplies } from './pools/tokens/read-supplies.ts'
import type { OpenedQueue } from './queue/job-queue.ts'
import { AuditNotes, auditFinal } from './verify/audit-final.ts'
import { sampleStates } from './verify/pool-states/sample-states.ts'
import { type CheckedStates, StateChecker } from './verify/pool-states/state-checker.ts'
import { type CheckedPart, RangeChecker } from './verify/range-checker.ts'

export interface FollowOptions extends HistoryProgress, Partial<HeadReports>, WashReports, LakeReports, LoopContext {
  chain: Chain
  store: IndexerStore
  deployment: Deployment
  queue: OpenedQueue
  jobs: EventEmitter<{ done: [] }>
  onCommit(commit: RangeCommit): void
  onInvalidate?: ((pools: number) => void) | undefined
  /** Without it, the audit of final blocks does not run. */
  onAudit?: ((part: CheckedPart) => void) | null
  /** Without it, pool states are not compared with the chain. */
  onStates?: ((checked: CheckedStates) => void) | null
  priority?: StepPriority | undefined
  activity?: CountedActivity
  retentionDays?: number | null
  restorable?: RestoreOptions['restorable']
  restoreSince?: number | null
  /** Null without LAKE_URL. */
  lake?: RetainingLake | null
  wash?: WashThresholds | null
  deepReorgMs?: number | undefined
  alerts?: NetworkAlerts | undefined
}

/**
 * Follows the head, keeps the backfill queue filled and maintains the rows, while holding the network's writer lease so
 * that only one process writes. Ends when the lease is lost, the follower cannot continue, or the signal aborts.
 */
export async function followNetwork(
  options: FollowOptions,
  context: NetworkContext,
  startBlock: number,
  signal: AbortSignal,
): Promise<void> {
  const { chain, store, deployment, log } = options
  const lease = await store.acquireWriter(signal, (reason) => log.warn({ reason }, 'waiting to be the only writer'))
  const stop = new AbortController()
  const ended = AbortSignal.any([signal, stop.signal])
  const notes = new AuditNotes()
  const unlisten = chain.onDisproved((block) => notes.disprove(block))
  const loops: Promise<void>[] = []
  try {
    const { epoch } = lease
    await store.configure(epoch, deployment)
    await store.alignFees(epoch, deployment.dexes)
    // Other processes may have stored pools while this one waited.
    await context.loadNew()
    const anchor = await findAnchor(options, startBlock, epoch)
    const { references, known } = context
    log.info({ from: anchor.number, references: references.pools.length, pools: known.pools.size }, 'indexing')
    loops.push(...startLoops(options, context, { anchor, epoch, notes, ended }))
    const lost = lease.lost.then(() => Promise.reject(new LeaseInterrupted(deployment.network)))
    await Promise.race([Promise.all(loops), lost])
  } finally {
    unlisten()
    stop.abort()
    await Promise.allSettled(loops)
    await lease.release()
  }
}

interface Writer {
  anchor: BlockHeader
  epoch: number
  notes: AuditNotes
  ended: AbortSignal
}

function startLoops(options: FollowOptions, context: NetworkContext, { anchor, epoch, notes, ended }: Writer) {
  const { chain, store, deployment, log, clock, onAudit } = options
  const { known, registry, references, venues } = context
  const ranks = new PoolRanks()
  const follower = new Follower({
    ...options,
    ...context,
    anchor,
    epoch,
    ranks,
    onCommit: (commit, events) => {
      if (onAudit) notes.note(commit, events)
      options.onCommit(commit)
      if ('judge' in commit && commit.judge) options.alerts?.wake()
    },
  })
  const { pools } = follower
  return [
    followHeads(options, follower, epoch, ended),
    fillQueue({ ...options, loadNew: context.loadNew }, ended),
    readPools({ pools, log, clock }, ended),
    rankPools({ store, ranks, log, clock }, ended),
    pruneStates({ ...options, known }, ended),
    ...compareWithChain(options, context, follower, { notes, ended }),
    retainDays(options, ended),
    reportLake(options, ended),
    judgeWashDays(options, ended),
    buildSearchIndexes(options, ended),
    fillOrderFlow(options, ended),
    readLateTokens({ chain, store, tokens: known.tokens, reader: registry.tokenReader, log, clock }, ended),
    readSupplies({ chain, store, log, clock }, ended),
    refreshReferences({ references, log, clock }, ended),
    reportUnread({ ...options, pools, learnFound: () => learnFound(store, deployment, known) }, epoch, ended),
    reportBudget(options, epoch, ended),
    reportActivity(options, ended),
    reportVenues({ ...options, venues }, ended),
  ]
}

function compareWithChain(
  { chain, store, log, clock, onAudit, onStates }: FollowOptions,
  { known, processor, freshBookBefore }: NetworkContext,
  follower: Follower,
  { notes, ended }: { notes: AuditNotes; ended: AbortSignal },
): Promise<void>[] {
  const loops: Promise<void>[] = []
  if (onAudit) {
    const books = { bookBefore: freshBookBefore, freshBookBefore }
    const checker = new RangeChecker({ chain, store, known, processor, ...books, log, atHead: true })
    loops.push(auditFinal({ store, checker, notes, follower, log, clock, onAudit }, ended))
  }
  if (onStates) {
    const checker = new StateChecker({ chain, store, known, log })
    loops.push(sampleStates({ store, checker, known, follower, log, clock, onStates }, ended))
  }
  return loops
}
