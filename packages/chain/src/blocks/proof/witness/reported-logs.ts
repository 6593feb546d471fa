import type { Block, BlockRange, Hex } from '@dexfeed/dex'
import type { LogFilter } from '../../../json-rpc/requests.ts'
import type { PlacedLog } from '../../../json-rpc/rpc-log.ts'

/** A log as an endpoint told it: where it claims to be, and all that it says as one text. */
export interface ReportedLog {
  blockNumber: number
  blockHash: Hex
  transactionHash: Hex
  transactionIndex: number
  text: string
}

/** All logs of a filter in a range, as one endpoint told them. */
export interface ReportedLogs extends BlockRange {
  filter: LogFilter
  logs: readonly ReportedLog[]
  /** Of block `to`. */
  end: Hex
  /** The hashes of all blocks of the range, where these may still change. */
  hashes: readonly Hex[] | null
  /** Transactions that no node need show (Polygon's state-sync), and their blocks: their logs are not compared. */
  unlisted: ReadonlyMap<Hex, number>
}

/** What blocks say that an endpoint told. */
export function reportedByBlocks(
  range: BlockRange,
  blocks: readonly Block[],
  filter: LogFilter,
): Omit<ReportedLogs, 'hashes' | 'end'> {
  const unlisted = new Map<Hex, number>()
  const logs: ReportedLog[] = []
  for (const { number: blockNumber, hash: blockHash, logs: own, transactions } of blocks) {
    for (const log of own) {
      const transaction = transactions.get(log.transactionIndex)
      if (transaction === undefined) continue
      if (transaction.from === null) unlisted.set(transaction.hash, blockNumber)
      else logs.push(reportedLog({ ...log, blockNumber, blockHash, transactionHash: transaction.hash }))
    }
  }
  return { ...range, filter, logs, unlisted }
}

export function reportedLog(log: PlacedLog): ReportedLog {
  const { blockNumber, blockHash, transactionHash, transactionIndex, address, topics, data, logIndex } = log
  const text = [blockHash, transactionHash, logIndex, address, ...topics, data].join()
  return { blockNumber, blockHash, transactionHash, transactionIndex, text }
}

/** What one has and the other lacks. */
export function missingFrom(logs: readonly ReportedLog[], others: readonly ReportedLog[]): ReportedLog[] {
  const texts = new Set(others.map(({ text }) => text))
  return logs.filter(({ text }) => !texts.has(text))
}
