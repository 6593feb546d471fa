import type { ChainOptions } from '@dexfeed/chain'
import { countBlocks } from '@dexfeed/dex'
import type { RangeCommit } from '@dexfeed/store'
import type { DroppedLogs } from '../blocks/process-blocks.ts'

/** The callbacks that also count what other processes of this indexer do. */
export interface HistoryReports extends Required<Pick<ChainOptions, 'onRead' | 'onProof' | 'onRequest'>> {
  onStored(counts: CommitCounts): void
  onDropped(logs: DroppedLogs): void
}

export interface CommitCounts {
  blocks: number
  trades: number
  unpriced: number
  flagged: number
}

export function commitCounts({ from, to, trades }: RangeCommit): CommitCounts {
  return {
    blocks: countBlocks([{ from, to }]),
    trades: trades.length,
    unpriced: trades.filter(({ usdE8 }) => usdE8 === null).length,
    flagged: trades.filter(({ flags }) => flags !== 0).length,
  }
}
