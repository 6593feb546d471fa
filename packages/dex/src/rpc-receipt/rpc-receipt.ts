import type { Block, Log } from '../chain/block.ts'
import type { Hex } from '../chain/hex.ts'

/** A log of a receipt, as JSON-RPC returns it. */
interface RpcLog {
  address: string
  topics: readonly string[]
  data: string
  logIndex: string
}

/** The part of an `eth_getTransactionReceipt` response that is needed here. Numbers are hex text. */
export interface RpcReceipt {
  transactionHash: string
  transactionIndex: string
  blockHash: string
  blockNumber: string
  from: string
  /** All logs of the transaction, in order. */
  logs: readonly RpcLog[]
}

/** What a receipt does not contain, with numbers as hex text as JSON-RPC returns them. */
export interface ReceiptContext {
  /** `value` of the transaction: coins sent with it, in wei (`eth_getTransactionByHash`). */
  value: string
  /** `timestamp` of the block, in seconds since 1970 (`eth_getBlockByNumber`). */
  timestamp: string
}

/** Returns a block that contains only the transaction of this receipt. */
export function blockOfReceipt(receipt: RpcReceipt, { value, timestamp }: ReceiptContext): Block {
  const transactionIndex = Number(receipt.transactionIndex)
  const transaction = { hash: hex(receipt.transactionHash), from: hex(receipt.from), value: BigInt(value) }
  return {
    number: Number(receipt.blockNumber),
    hash: hex(receipt.blockHash),
    // A receipt does not contain the parent, and trades do not depend on it.
    parentHash: '0x',
    timestamp: Number(timestamp),
    logs: logsOfReceipt(receipt),
    transactions: new Map([[transactionIndex, transaction]]),
  }
}

function logsOfReceipt({ transactionIndex, logs }: RpcReceipt): Log[] {
  return logs.map(({ address, topics, data, logIndex }) => ({
    address: hex(address),
    topics: topics.map(hex),
    data: hex(data),
    transactionIndex: Number(transactionIndex),
    logIndex: Number(logIndex),
  }))
}

/** Some nodes write addresses with upper-case checksums. Everything here compares lower-case text. */
export function hex(text: string): Hex {
  if (!/^0x[0-9a-f]*$/i.test(text)) throw new TypeError(`${JSON.stringify(text)} is not 0x-prefixed hex`)
  return text.toLowerCase() as Hex
}
