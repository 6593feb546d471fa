import type { NetworkName } from '@dexfeed/dex'
import type { RangeCommit } from '@dexfeed/store'
import { Counter, Gauge, type Registry } from 'prom-client'

export interface IndexerMetrics {
  committed(network: NetworkName, commit: RangeCommit): void
}

/** The indexer's Prometheus metrics; labels are the three networks alone. */
export function indexerMetrics(registry: Registry): IndexerMetrics {
  const shared = { registers: [registry], labelNames: ['network'] as const }
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
  return {
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
