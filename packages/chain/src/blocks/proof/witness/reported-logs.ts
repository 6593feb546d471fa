import type { Block, BlockRange, Hex } from '@dexfeed/dex'
import type { Session } from '../../../endpoints/endpoint-pool.ts'
import { headerRequest, type LogFilter, receiptRequest } from '../../../json-rpc/messages.ts'
import { contentOf, type PlacedLog, placedLogs, readLogs } from '../../../json-rpc/rpc-log.ts'
import { readArray, readHash, readObject } from '../../../json-rpc/rpc-value.ts'
import { expectHeader } from '../../read-header.ts'
import type { BlockProver, Proof } from '../commitments/block-prover.ts'

export interface ReportedLogs extends BlockRange {
  filter: LogFilter
  logs: readonly PlacedLog[]
  end: Hex
  /** Hashes of all blocks of the range if they may still change, else null. */
  hashes: readonly Hex[] | null
  /** Transactions that nodes may omit (Polygon's state sync), each with its block number. */
  unlisted: ReadonlyMap<Hex, number>
}

export function reportedByBlocks(
  range: BlockRange,
  blocks: readonly Block[],
  filter: LogFilter,
): Omit<ReportedLogs, 'hashes' | 'end'> {
  const unlisted = new Map<Hex, number>()
  const logs: PlacedLog[] = []
  for (const { number: blockNumber, hash: blockHash, logs: blockLogs, transactions } of blocks) {
    for (const log of blockLogs) {
      const transaction = transactions.get(log.transactionIndex)
      if (transaction === undefined) continue
      if (transaction.from === null) unlisted.set(transaction.hash, blockNumber)
      else logs.push({ ...log, blockNumber, blockHash, transactionHash: transaction.hash })
    }
  }
  return { ...range, filter, logs, unlisted }
}

/** Returns the first log of `others` that `logs` lack, and the first of `logs` that `others` lack. */
export function firstDifferences(logs: readonly PlacedLog[], others: readonly PlacedLog[]) {
  const texts = logs.map(contentOf)
  const otherTexts = others.map(contentOf)
  const known = new Set(texts)
  const otherKnown = new Set(otherTexts)
  return {
    leftOut: others[otherTexts.findIndex((text) => !known.has(text))],
    extra: logs[texts.findIndex((text) => !otherKnown.has(text))],
  }
}

export interface ReceiptsOptions {
  prover: () => Promise<BlockProver>
  logsWithoutTransaction: boolean
}

export interface ShownBlock {
  hash: Hex
  proof: Proof
  logs: readonly PlacedLog[]
}

/** Reads the receipts of a block one by one, so that it also works without eth_getBlockReceipts. */
export async function readReceipts(session: Session, number: number, options: ReceiptsOptions): Promise<ShownBlock> {
  const { results } = await session.request([headerRequest(number)])
  const { hash } = expectHeader(session, number, results[0])
  const block = readObject(results[0], 'block')
  const hashes = readArray(block.transactions, 'block.transactions').map((each) => readHash(each, 'transaction.hash'))
  const responses = hashes.length === 0 ? [] : (await session.request(hashes.map(receiptRequest))).results
  const receipts = responses.map((response, i) => {
    const what = `the receipt of ${hashes[i]}`
    if (response === null || response === undefined) throw session.missing(what, 'eth_getTransactionReceipt')
    const receipt = readObject(response, 'receipt')
    const isRequested =
      readHash(receipt.transactionHash, 'receipt.transactionHash') === hashes[i] &&
      readHash(receipt.blockHash, 'receipt.blockHash') === hash
    if (!isRequested) throw session.inconsistent(`${what} is of ${String(receipt.transactionHash)} in another place`)
    return receipt
  })
  const proof = (await options.prover()).prove(block, receipts, options.logsWithoutTransaction)
  const shown =
    proof.kind === 'proven' ? placedLogs(receipts.slice(0, proof.receipts)) : receipts.map(({ logs }) => logs)
  const logs = shown.flatMap((ofReceipt, i) =>
    readLogs(ofReceipt, session.inconsistent).map((log) => {
      if (log.blockHash !== hash || log.transactionHash !== hashes[i]) {
        throw session.inconsistent(`a log of another transaction in the receipt of ${hashes[i]}`)
      }
      return log
    }),
  )
  return { hash, proof, logs }
}
