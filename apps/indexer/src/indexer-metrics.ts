import { countBlocks, type NetworkName, SECOND } from '@dexfeed/dex'
import type { RangeCommit } from '@dexfeed/store'
import { Counter, Gauge, type Registry } from 'prom-client'
import type { HistoryProgress } from './backfill/queue-loops.ts'
import type { WashReports } from './days/day-loops.ts'
import type { LakeReports } from './days/lake-days.ts'
import type { HeadReports } from './follow/report-status.ts'
import { type CommitCounts, commitCounts, type HistoryReports } from './history/messages.ts'
import type { CheckedStates } from './verify/pool-states/state-checker.ts'
import type { CheckedPart } from './verify/range-checker.ts'

export interface NetworkMetrics
  extends HeadReports,
    HistoryReports,
    Required<HistoryProgress>,
    Required<WashReports>,
    Required<LakeReports> {
  onCommit(commit: RangeCommit): void
  onInvalidate(pools: number): void
  onAudit(part: CheckedPart): void
  onStates(checked: CheckedStates): void
  onUnknownHeaders(from: number | null): void
}

/** Metrics are labelled by network, requests also by endpoint (without secrets) and priority (live or bulk). */
export function indexerMetrics(registry: Registry): (network: NetworkName) => NetworkMetrics {
  const metrics = openMetrics(registry)
  return (network) => countersOf(metrics, { network })
}

function openMetrics(registry: Registry) {
  const shared = { registers: [registry], labelNames: ['network'] as const }
  const counter = (name: string, help: string) => new Counter({ ...shared, name: `dexfeed_${name}_total`, help })
  const rpcLabels = { labelNames: ['network', 'endpoint', 'priority'] as const }
  const rpcCounter = (name: string, help: string) =>
    new Counter({ ...shared, ...rpcLabels, name: `dexfeed_rpc_${name}_total`, help })
  const gauge = (name: string, help: string) => new Gauge({ ...shared, name: `dexfeed_${name}`, help })
  return {
    blocks: counter('blocks_committed', 'Blocks committed.'),
    trades: counter('trades_committed', 'Trades committed.'),
    unpriced: counter('trades_unpriced', 'Trades without USD value.'),
    flagged: counter('trades_flagged', 'Trades whose value is flagged.'),
    reorgs: counter('reorgs', 'Rollbacks committed.'),
    proven: counter('blocks_proven', 'Blocks whose receipts were proven by the block’s hash.'),
    unproven: counter('blocks_unproven', 'Blocks read without proof: compared with another endpoint, or sampled.'),
    archived: counter('blocks_archived', 'Blocks of history read from an archive; the nodes confirmed some of them.'),
    proofs: counter('proofs', 'Blocks whose proof was computed.'),
    proofSeconds: counter('proof_seconds', 'Seconds that the proofs of blocks took.'),
    head: gauge('indexed_block', 'Last block the follower committed.'),
    lag: gauge('lag_blocks', 'Blocks from the last commit to the chain head.'),
    unknownHeader: gauge(
      'unknown_header_block',
      'First block read without proof because its header has unknown fields: update dexfeed; 0: none.',
    ),
    done: gauge('backfill_done_blocks', 'Final blocks that are covered.'),
    total: gauge('backfill_total_blocks', 'Final blocks since the start.'),
    old: gauge('backfill_old_blocks', 'Covered blocks with rows of older rules, which are being derived again.'),
    speed: gauge('backfill_blocks_per_second', 'Blocks covered, or derived again, per second.'),
    eta: gauge('backfill_eta_seconds', 'Seconds until history is covered.'),
    queueUp: gauge('queue_up', 'Whether the queue of history jobs could be filled at the last check: 1 or 0.'),
    jobs: new Gauge({
      ...shared,
      labelNames: ['network', 'state'] as const,
      name: 'dexfeed_queue_jobs',
      help: 'Jobs in the queue: waiting, taken by a worker, or failed and waiting for another try.',
    }),
    workers: gauge('queue_workers', 'Workers in all processes, while history is missing.'),
    auditBlock: gauge('audit_block', 'Last final block that was audited.'),
    audited: counter('audit_blocks', 'Final blocks that were audited.'),
    differences: counter('audit_differences', 'Rows of final blocks that differed from the chain and were repaired.'),
    unsettled: counter('audit_unsettled', 'Audits in which nodes contradicted each other.'),
    unread: gauge('pools_without_state', 'Pools with trades of the last day whose state is still to be read.'),
    swapLike: gauge('swap_like_receipts', 'Recent receipts, in the sampled blocks, that look like a swap.'),
    swapLikeUnread: gauge(
      'swap_like_receipts_unread',
      'Those of them that contain no swap of a venue that dexfeed reads.',
    ),
    compared: counter('pools_compared', 'Pool states that were compared with the chain.'),
    invalidated: counter('pools_distrusted', 'Pool states that were found to be wrong and are read again.'),
    washPools: gauge('wash_flagged_pools', 'Pools flagged as wash trading, of the last day judged.'),
    washUsd: gauge('wash_flagged_volume_usd', 'Volume of the pools flagged as wash trading, of the last day judged.'),
    lakeWritten: gauge('lake_written_days', 'Days that are in the lake as the database has, or had, them.'),
    lakeDue: gauge('lake_due_days', 'Complete days that are not in the lake as they are.'),
    lakeWait: gauge('lake_due_seconds', 'How long the first of them has been complete, as seen by the indexer.'),
    lakeLost: counter('lake_lost_days', 'Days that were dropped although they were not in the lake.'),
    items: rpcCounter('items', 'JSON-RPC items sent; a batch has many.'),
    refused: rpcCounter('refused_items', 'Items that the endpoint refused because of its rate limit.'),
    failed: rpcCounter('failed_items', 'Items without a reply: no connection, no reply in time, or not JSON.'),
    budget: new Gauge({
      ...shared,
      labelNames: ['network', 'endpoint'] as const,
      name: 'dexfeed_rpc_budget_per_second',
      help: 'Budget of the endpoint, configured or learnt, in items or compute units. NaN: no limit is known.',
    }),
    waited: rpcCounter('wait_seconds', 'Seconds that requests waited for the budget of their endpoint.'),
    unverified: counter('unverified_logs', 'Dropped logs of contracts that no configured factory confirms.'),
    malformed: counter('malformed_logs', 'Dropped logs that do not have the shape of their event.'),
  }
}

function countersOf(metrics: ReturnType<typeof openMetrics>, label: { network: NetworkName }): NetworkMetrics {
  const onStored = ({ blocks, trades, unpriced, flagged }: CommitCounts) => {
    metrics.blocks.inc(label, blocks)
    metrics.trades.inc(label, trades)
    metrics.unpriced.inc(label, unpriced)
    metrics.flagged.inc(label, flagged)
  }
  return {
    onStored,
    onProgress({ done, total, old, blocksPerS }) {
      // Nothing was measured lately, so report no progress.
      const rate = blocksPerS ?? 0
      metrics.done.set(label, done)
      metrics.total.set(label, total)
      metrics.old.set(label, old)
      metrics.speed.set(label, rate)
      // Without a speed, the remaining time is unknown (NaN).
      metrics.eta.set(label, total === done ? 0 : rate > 0 ? (total - done) / rate : Number.NaN)
    },
    onQueue(counts) {
      metrics.queueUp.set(label, counts === null ? 0 : 1)
      if (counts === null) return
      const { workers, ...jobs } = counts
      for (const [state, number] of Object.entries(jobs)) metrics.jobs.set({ ...label, state }, number)
      if (workers !== null) metrics.workers.set(label, workers)
    },
    onRead(blocks, how) {
      metrics[how].inc(label, blocks)
    },
    onProof(seconds) {
      metrics.proofs.inc(label)
      metrics.proofSeconds.inc(label, seconds)
    },
    onRequest({ endpoint, priority, items, refused, failed, waitedMs, budgetPerS }) {
      const labels = { ...label, endpoint, priority }
      metrics.items.inc(labels, items)
      metrics.refused.inc(labels, refused)
      metrics.failed.inc(labels, failed)
      metrics.budget.set({ ...label, endpoint }, budgetPerS ?? Number.NaN)
      metrics.waited.inc(labels, waitedMs / SECOND)
    },
    onCommit(commit) {
      onStored(commitCounts(commit))
      if (!('live' in commit)) return
      const { live } = commit
      if (live.rollbackTo !== null) metrics.reorgs.inc(label)
      metrics.head.set(label, live.head.number)
      metrics.lag.set(label, live.chainHead.number - live.head.number)
    },
    onAudit({ from, to, outcome, differences }) {
      metrics.auditBlock.set(label, to)
      metrics.audited.inc(label, countBlocks([{ from, to }]))
      metrics.differences.inc(label, outcome === 'repaired' ? differences.length : 0)
      metrics.unsettled.inc(label, outcome === 'unsettled' ? 1 : 0)
    },
    onUnread(pools) {
      metrics.unread.set(label, pools)
    },
    onVenues({ receipts, unread }) {
      metrics.swapLike.set(label, receipts)
      metrics.swapLikeUnread.set(label, unread)
    },
    onStates({ compared }) {
      metrics.compared.inc(label, compared)
    },
    onInvalidate(pools) {
      metrics.invalidated.inc(label, pools)
    },
    onWashDay({ flaggedPools, flaggedVolumeUsd }) {
      metrics.washPools.set(label, flaggedPools)
      metrics.washUsd.set(label, Number(flaggedVolumeUsd))
    },
    onLake({ written, due, waitedS }) {
      metrics.lakeWritten.set(label, written)
      metrics.lakeDue.set(label, due)
      metrics.lakeWait.set(label, waitedS)
    },
    onLost(days) {
      metrics.lakeLost.inc(label, days)
    },
    onUnknownHeaders(from) {
      // A gauge needs a number, and block 0 never has unknown fields.
      metrics.unknownHeader.set(label, from ?? 0)
    },
    onDropped({ unverified, malformed }) {
      metrics.unverified.inc(label, unverified)
      metrics.malformed.inc(label, malformed)
    },
  }
}
