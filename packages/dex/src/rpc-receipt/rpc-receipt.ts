import type { Block, Hex, Log } from '../chain.ts'

interface RpcLog {
  address: string
  topics: readonly string[]
  data: string
  logIndex: string
}

/** The required fields of an `eth_getTransactionReceipt` response. Numbers are hex text. */
export interface RpcReceipt {
  transactionHash: string
  transactionIndex: string
  blockHash: string
  blockNumber: string
  from: string
  logs: readonly RpcLog[]
}

/** What a receipt does not contain. Numbers are hex text. */
export interface ReceiptContext {
  /** Coins sent with the transaction, in wei (`eth_getTransactionByHash`). */
  value: string
  /** The block's time, in seconds since 1970 (`eth_getBlockByNumber`). */
  timestamp: string
}

export function blockOfReceipt(receipt: RpcReceipt, { value, timestamp }: ReceiptContext): Block {
  const transactionIndex = Number(receipt.transactionIndex)
  const transaction = { hash: hex(receipt.transactionHash), from: hex(receipt.from), value: BigInt(value) }
  return {
    number: Number(receipt.blockNumber),
    hash: hex(receipt.blockHash),
    // Trades do not depend on it.
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

/** Returns lower-case hex; some nodes write checksums. */
export function hex(text: string): Hex {
  if (!/^0x[0-9a-f]*$/i.test(text)) throw new TypeError(`${JSON.stringify(text)} is not 0x-prefixed hex`)
  return text.toLowerCase() as Hex
}
