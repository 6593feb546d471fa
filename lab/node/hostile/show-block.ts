import type { Address, Hex } from '@dexfeed/dex'
import { quantity } from '../../chain/abi.ts'
import { transactionType } from '../../chain/scripted/commit-block.ts'
import type { PlacedTransaction, ScriptedBlock } from '../../chain/scripted/scripted-chain.ts'

/**
 * What proves a node's blocks: nothing (headers and receipts lack fields), complete headers and receipts, or also
 * eth_getBlockReceipts.
 */
export type Proofs = 'none' | 'receipts' | 'block-receipts'

export interface Showing {
  proofs: Proofs
  showsStateSync: boolean
}

export type RpcLog = Record<string, unknown> & { blockNumber: string; blockHash: Hex; address: Address; topics: Hex[] }

export type RpcReceipt = Record<string, unknown> & { transactionHash: Hex; blockHash: Hex; logs: RpcLog[] }

export type ShownBlock = Record<string, unknown> & { hash: Hex; transactions: unknown[] }

export function showBlock(block: ScriptedBlock, { proofs, showsStateSync }: Showing, full: boolean): ShownBlock {
  const { hash, header } = block
  const { number, parentHash, timestamp, logsBloom } = header
  const body = block.transactions.filter(({ isStateSync }) => showsStateSync || !isStateSync)
  return {
    ...(proofs === 'none' ? { number, parentHash, timestamp, logsBloom } : header),
    hash,
    transactions: full ? body.map(showTransaction) : body.map((transaction) => transaction.hash),
  }
}

function showTransaction({ hash, from, value, index, isStateSync }: PlacedTransaction): unknown {
  const type = quantity(isStateSync ? 0x7f : transactionType(index))
  return { hash, from: from ?? `0x${'0'.repeat(40)}`, value: quantity(value), type, transactionIndex: quantity(index) }
}

export function showReceipts(block: ScriptedBlock, { showsStateSync }: Showing): RpcReceipt[] {
  // Some nodes return the receipt of an unlisted transaction, others do not.
  const isShown = showsStateSync || block.transactions.length % 2 === 0
  return block.transactions
    .filter(({ isStateSync }) => isShown || !isStateSync)
    .map((transaction) => showReceipt(block, transaction, 'block-receipts'))
}

export function showReceipt(block: ScriptedBlock, { hash, index }: PlacedTransaction, proofs: Proofs): RpcReceipt {
  const logs = logsOfBlock(block).filter(({ transactionHash }) => transactionHash === hash)
  const blockNumber = quantity(block.number)
  const receipt = { transactionHash: hash, blockHash: block.hash, blockNumber, status: '0x1', logs }
  const seal = block.receipts[index]
  if (proofs === 'none' || seal === undefined) return receipt
  const { type, cumulativeGas, logsBloom } = seal
  const places = { transactionIndex: quantity(index), type: quantity(type) }
  return { ...receipt, ...places, cumulativeGasUsed: quantity(cumulativeGas), logsBloom }
}

export function logsOfBlock({ number, hash, transactions }: ScriptedBlock): RpcLog[] {
  return transactions.flatMap((transaction) =>
    transaction.placed.map(({ address, topics, data, logIndex }) => ({
      address,
      topics: [...topics],
      data,
      blockNumber: quantity(number),
      blockHash: hash,
      transactionHash: transaction.hash,
      transactionIndex: quantity(transaction.index),
      logIndex: quantity(logIndex),
      removed: false,
    })),
  )
}
