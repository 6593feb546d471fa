import type { BudgetNews, BudgetReply, CallBudget, ChainOptions } from '@dexfeed/chain'
import { countBlocks, type NetworkName } from '@dexfeed/dex'
import type { RangeCommit } from '@dexfeed/store'
import type { DroppedLogs } from '../blocks/process-blocks.ts'
import type { ReferenceCache } from '../blocks/reference-history.ts'

export interface HistoryReports {
  onRead: NonNullable<ChainOptions['onRead']>
  onProof: NonNullable<ChainOptions['onProof']>
  onRequest: NonNullable<ChainOptions['onRequest']>
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

// Messages are structured clones, so they may hold infinite numbers and NaN.

export type ToIndexer =
  | { kind: 'joined' }
  | { kind: 'budget'; network: NetworkName; place: number; call: CallBudget }
  | { kind: 'references'; network: NetworkName }
  | { kind: 'report'; network: NetworkName; report: Report }

export type Report = {
  [Name in keyof HistoryReports]: { name: Name; values: Parameters<HistoryReports[Name]> }
}[keyof HistoryReports]

export type ToHistory =
  | { kind: 'welcome'; news: Readonly<Partial<Record<NetworkName, readonly BudgetNews[]>>> }
  | { kind: 'budget'; network: NetworkName; place: number; reply: BudgetReply }
  | { kind: 'references'; network: NetworkName; cache: ReferenceCache | null }
