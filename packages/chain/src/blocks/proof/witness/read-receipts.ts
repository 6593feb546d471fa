import type { Hex, Log } from '@dexfeed/dex'
import type { Session } from '../../../endpoints/session.ts'
import { headerRequest, receiptRequest } from '../../../json-rpc/requests.ts'
import { readLogs } from '../../../json-rpc/rpc-log.ts'
import { readArray, readHash, readObject } from '../../../json-rpc/rpc-value.ts'
import { expectHeader } from '../../read-header.ts'
import type { BlockProver, Proof } from '../commitments/block-prover.ts'
import { placedLogs } from '../receipts/placed-logs.ts'
import { type ReportedLog, reportedLog } from './reported-logs.ts'

export interface ReceiptsOptions {
  prover: () => Promise<BlockProver>
  logsWithoutTransaction: boolean
}

/** A block as shown by its receipts. */
export interface ShownBlock {
  hash: Hex
  /** Whether the block's hash commits to header and receipts. */
  proof: Proof
  /** All logs of the block with their topics. If the receipts prove the block, only logs that the proof covers. */
  logs: readonly (ReportedLog & Pick<Log, 'address' | 'topics'>)[]
}

/**
 * Reads all receipts of a block one by one, and checks the root in its header. Works at nodes without
 * eth_getBlockReceipts. A receipt that is missing or of another block may be so only briefly.
 */
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
      return { ...reportedLog(log), address: log.address, topics: log.topics }
    }),
  )
  return { hash, proof, logs }
}
