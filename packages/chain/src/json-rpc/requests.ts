import type { Address, BlockRange, Hex } from '@dexfeed/dex'
import type { RpcRequest } from './messages.ts'
import { toQuantity } from './rpc-value.ts'

/** Which logs are asked for. */
export interface LogFilter {
  /** Alternatives for the first topic; empty: any. */
  topics: readonly Hex[]
  /** Empty: any. */
  addresses?: readonly Address[]
}

export function headerRequest(block: number | 'latest' | 'finalized'): RpcRequest {
  return { method: 'eth_getBlockByNumber', params: [typeof block === 'number' ? toQuantity(block) : block, false] }
}

/** A block with all its transactions. */
export function blockRequest(number: number): RpcRequest {
  return { method: 'eth_getBlockByNumber', params: [toQuantity(number), true] }
}

export function logsRequest(filter: LogFilter, { from, to }: BlockRange): RpcRequest {
  return {
    method: 'eth_getLogs',
    params: [{ ...filterOf(filter), fromBlock: toQuantity(from), toBlock: toQuantity(to) }],
  }
}

export function logsOfBlockRequest(filter: LogFilter, blockHash: Hex): RpcRequest {
  return { method: 'eth_getLogs', params: [{ ...filterOf(filter), blockHash }] }
}

function filterOf({ topics, addresses = [] }: LogFilter): object {
  return {
    ...(addresses.length > 0 ? { address: addresses } : {}),
    ...(topics.length > 0 ? { topics: [topics] } : {}),
  }
}

/** The blocks that an eth_getLogs among the questions spans: its range is what an error of the batch is about. */
export function requestedRangeOf(requests: readonly RpcRequest[]): BlockRange | null {
  const filter = requests.find(({ method }) => method === 'eth_getLogs')?.params[0]
  if (typeof filter !== 'object' || filter === null) return null
  if ('blockHash' in filter) return { from: 0, to: 0 }
  if (!('fromBlock' in filter && 'toBlock' in filter)) return null
  return { from: Number(filter.fromBlock), to: Number(filter.toBlock) }
}

export function transactionRequest(hash: Hex): RpcRequest {
  return { method: 'eth_getTransactionByHash', params: [hash] }
}

export function receiptRequest(hash: Hex): RpcRequest {
  return { method: 'eth_getTransactionReceipt', params: [hash] }
}

/** All receipts of a block, in the order of its transactions. */
export function blockReceiptsRequest(number: number): RpcRequest {
  return { method: 'eth_getBlockReceipts', params: [toQuantity(number)] }
}
