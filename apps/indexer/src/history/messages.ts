import type { BudgetNews, BudgetReply, CallBudget } from '@dexfeed/chain'
import type { NetworkName } from '@dexfeed/dex'
import type { ReferenceCache } from '../blocks/reference-history.ts'
import type { HistoryReports } from './history-reports.ts'

// What the indexer and its history processes write to each other. Messages are structured clones: they may hold
// infinite numbers and NaN.

/** From a history process to the indexer. */
export type ToIndexer =
  | { kind: 'joined' }
  | { kind: 'budget'; network: NetworkName; place: number; call: CallBudget }
  | { kind: 'references'; network: NetworkName }
  | { kind: 'report'; network: NetworkName; report: Report }

/** A call of one of the callbacks, which only take cloneable values. */
export type Report = {
  [Name in keyof HistoryReports]: { name: Name; values: Parameters<HistoryReports[Name]> }
}[keyof HistoryReports]

/** From the indexer to a history process. */
export type ToHistory =
  | { kind: 'welcome'; news: Readonly<Partial<Record<NetworkName, readonly BudgetNews[]>>> }
  | { kind: 'budget'; network: NetworkName; place: number; reply: BudgetReply }
  | { kind: 'references'; network: NetworkName; cache: ReferenceCache | null }
