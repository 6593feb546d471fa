import type { Block, BlockRange, Hex } from '@dexfeed/dex'
import type { LogFilter } from '../../../json-rpc/requests.ts'
import type { PlacedLog } from '../../../json-rpc/rpc-log.ts'

/** A log as an endpoint reported it: its claimed place, and all its content as one text. */
export interface ReportedLog {
  blockNumber: number
  blockHash: Hex
  transactionHash: Hex
  transactionIndex: number
  text: string
}

/** All logs of a filter in a range, as one endpoint reported them. */
export interface ReportedLogs extends BlockRange {
  filter: LogFilter
  logs: readonly ReportedLog[]
  /** Hash of block `to`. */
  end: Hex
  /** The hashes of all blocks of the range, if these may still change. */
  hashes: readonly Hex[] | null
  /** Transactions that nodes may leave out (Polygon's state sync), with their blocks. Their logs are not compared. */
  unlisted: ReadonlyMap<Hex, number>
}

/** Returns the logs that an endpoint reported within blocks. */
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

/** Returns the logs that are missing from `others`. */
export function missingFrom(logs: readonly ReportedLog[], others: readonly ReportedLog[]): ReportedLog[] {
  const texts = new Set(others.map(({ text }) => text))
  return logs.filter(({ text }) => !texts.has(text))
}
