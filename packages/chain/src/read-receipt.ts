import type { Hex, Log } from '@dexfeed/dex'
import type { Session } from './endpoint-pool.ts'
import { inLogOrder, readLogs } from './rpc-log.ts'
import { readHash, readObject } from './rpc-value.ts'

/** Every log of a transaction, from its receipt; null when the node does not have it (yet). */
export async function readReceiptLogs(session: Session, txHash: Hex): Promise<Log[] | null> {
  const { results } = await session.ask([{ method: 'eth_getTransactionReceipt', params: [txHash] }])
  if (results[0] === null || results[0] === undefined) return null
  const receipt = readObject(results[0], 'receipt')
  const blockHash = readHash(receipt.blockHash, 'receipt.blockHash')
  if (readHash(receipt.transactionHash, 'receipt.transactionHash') !== txHash) {
    throw session.inconsistent(`the receipt of another transaction than ${txHash}`)
  }
  const logs = readLogs(receipt.logs, () => {
    throw session.inconsistent('a removed log')
  })
  if (logs.some((log) => log.blockHash !== blockHash || log.transactionHash !== txHash)) {
    throw session.inconsistent(`foreign logs in the receipt of ${txHash}`)
  }
  return inLogOrder(logs).map(({ address, topics, data, transactionIndex, logIndex }) => {
    return { address, topics, data, transactionIndex, logIndex }
  })
}
