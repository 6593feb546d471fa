import type { NetworkName } from '@dexfeed/dex'
import type { RangeCommit, WashDay } from '@dexfeed/store'
import { Counter, Gauge, type Registry } from 'prom-client'
import type { BackfillProgress } from './backfill/reconciler.ts'
import type { DroppedLogs } from './blocks/process-blocks.ts'
import type { CheckedPart } from './verify/range-checker.ts'

export interface IndexerMetrics {
  committed(network: NetworkName, commit: RangeCommit): void
  progressed(network: NetworkName, progress: BackfillProgress): void
  audited(network: NetworkName, part: CheckedPart): void
  judged(network: NetworkName, day: WashDay): void
  dropped(network: NetworkName, logs: DroppedLogs): void
}

interface Shared {
  registers: Registry[]
  labelNames: ['network']
}

/** The indexer's Prometheus metrics; labels are the three networks alone. */
export function indexerMetrics(registry: Registry): IndexerMetrics {
  const shared: Shared = { registers: [registry], labelNames: ['network'] }
  const blocks = new Counter({ ...shared, name: 'dexfeed_blocks_committed_total', help: 'Blocks committed.' })
  const trades = new Counter({ ...shared, name: 'dexfeed_trades_committed_total', help: 'Trades committed.' })
  const unpriced = new Counter({ ...shared, name: 'dexfeed_trades_unpriced_total', help: 'Trades without USD value.' })
  const flagged = new Counter({
    ...shared,
    name: 'dexfeed_trades_flagged_total',
    help: 'Trades whose value is flagged.',
  })
  const reorgs = new Counter({ ...shared, name: 'dexfeed_reorgs_total', help: 'Rollbacks committed.' })
  const head = new Gauge({ ...shared, name: 'dexfeed_indexed_block', help: 'Last block the follower committed.' })
  const lag = new Gauge({ ...shared, name: 'dexfeed_lag_blocks', help: 'Blocks behind the head at the last commit.' })
  const done = new Gauge({ ...shared, name: 'dexfeed_backfill_done_blocks', help: 'Final blocks that are covered.' })
  const total = new Gauge({ ...shared, name: 'dexfeed_backfill_total_blocks', help: 'Final blocks since the start.' })
  const speed = new Gauge({ ...shared, name: 'dexfeed_backfill_blocks_per_second', help: 'Blocks covered a second.' })
  const eta = new Gauge({ ...shared, name: 'dexfeed_backfill_eta_seconds', help: 'Until history is covered.' })
  return {
    ...auditMetrics(shared),
    ...washMetrics(shared),
    ...dropMetrics(shared),
    progressed(network, progress) {
      const missing = progress.total - progress.done
      const rate = progress.blocksPerS ?? 0
      done.set({ network }, progress.done)
      total.set({ network }, progress.total)
      speed.set({ network }, rate)
      // Without a speed there is nothing to tell, which Prometheus writes as NaN.
      eta.set({ network }, missing === 0 ? 0 : rate > 0 ? missing / rate : Number.NaN)
    },
    committed(network, commit) {
      blocks.inc({ network }, commit.to - commit.from + 1)
      trades.inc({ network }, commit.trades.length)
      unpriced.inc({ network }, commit.trades.filter(({ usdE8 }) => usdE8 === null).length)
      flagged.inc({ network }, commit.trades.filter(({ flags }) => flags !== 0).length)
      if (commit.live === null) return
      if (commit.live.rollbackTo !== null) reorgs.inc({ network })
      head.set({ network }, commit.live.head.number)
      lag.set({ network }, commit.live.chainHead.number - commit.live.head.number)
    },
  }
}

function auditMetrics(shared: Shared): Pick<IndexerMetrics, 'audited'> {
  const block = new Gauge({ ...shared, name: 'dexfeed_audit_block', help: 'Last final block that was audited.' })
  const blocks = new Counter({ ...shared, name: 'dexfeed_audit_blocks_total', help: 'Final blocks that were audited.' })
  const differences = new Counter({
    ...shared,
    name: 'dexfeed_audit_differences_total',
    help: 'Rows of final blocks that were not what the chain tells, and were mended.',
  })
  const unsettled = new Counter({
    ...shared,
    name: 'dexfeed_audit_unsettled_total',
    help: 'Audits in which nodes contradicted each other.',
  })
  return {
    audited(network, part) {
      block.set({ network }, part.to)
      blocks.inc({ network }, part.to - part.from + 1)
      differences.inc({ network }, part.outcome === 'repaired' ? part.differences.length : 0)
      unsettled.inc({ network }, part.outcome === 'unsettled' ? 1 : 0)
    },
  }
}

function washMetrics(shared: Shared): Pick<IndexerMetrics, 'judged'> {
  const pools = new Gauge({ ...shared, name: 'dexfeed_wash_flagged_pools', help: 'Of the last day judged.' })
  const usd = new Gauge({
    ...shared,
    name: 'dexfeed_wash_flagged_volume_usd',
    help: 'Volume of the pools flagged as wash trading, of the last day judged.',
  })
  return {
    judged(network, { flaggedPools, flaggedVolumeUsd }) {
      pools.set({ network }, flaggedPools)
      usd.set({ network }, Number(flaggedVolumeUsd))
    },
  }
}

function dropMetrics(shared: Shared): Pick<IndexerMetrics, 'dropped'> {
  const foreign = new Counter({
    ...shared,
    name: 'dexfeed_foreign_logs_total',
    help: 'Logs of contracts that no factory vouches for: dropped.',
  })
  const malformed = new Counter({
    ...shared,
    name: 'dexfeed_malformed_logs_total',
    help: 'Logs that have not the shape of their event: dropped.',
  })
  return {
    dropped(network, logs) {
      foreign.inc({ network }, logs.foreign)
      malformed.inc({ network }, logs.malformed)
    },
  }
}
