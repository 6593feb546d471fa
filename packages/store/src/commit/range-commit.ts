import type { BlockHeader, CoveredRange, Pool, PoolStateAt, PricedTrade, TickLiquidityAt, Token } from '@dexfeed/dex'

/** Everything that a range of blocks changes; it is committed as a whole or not at all. */
export interface RangeCommit {
  /** First and last block; `to` = `from` - 1 with nothing else adds nothing (a bare rollback). */
  from: number
  to: number
  /** Times of those two blocks. */
  fromTime: number
  toTime: number
  /**
   * The parts of the range that this commit covers, ascending; default: all of it. There are no trades of the rest,
   * which is left to another commit.
   */
  covered?: readonly CoveredRange[]
  trades: readonly PricedTrade[]
  /** Those known already may be among them. */
  pools: readonly Pool[]
  tokens: readonly Token[]
  /** What only the follower writes; null for a range that fills history. */
  live: LiveCommit | null
}

export interface LiveCommit {
  /** Of the writer's lease. */
  epoch: number
  /** Last common block: everything above it is taken back first. */
  rollbackTo: number | null
  /** Headers to keep for finding a common ancestor, ascending; final ones are pruned except the last. */
  blocks: readonly BlockHeader[]
  /** The last block of the range. */
  head: BlockHeader
  /** Never goes back, whatever is given. */
  finalNumber: number
  /** The chain's own head. */
  chainHead: { number: number; timestamp: number }
  /** At most one of a pool and block. */
  poolStates: readonly PoolStateAt[]
  /** Gross and net are what the block changes, not what it leaves. */
  tickDeltas: readonly TickLiquidityAt[]
}
