import type { Address, BlockRange, Hex } from '@dexfeed/dex'
import type { RpcRequest } from './messages.ts'
import { toQuantity } from './rpc-value.ts'

export interface LogFilter {
  /** Alternatives for the first topic; empty: any. */
  topics: readonly Hex[]
  /** Empty means any address. */
  addresses?: readonly Address[]
  /** Contracts whose logs without a topic are requested, too: no topic finds these. */
  emitters?: readonly Address[]
}

export function headerRequest(block: number | 'latest' | 'finalized'): RpcRequest {
  return { method: 'eth_getBlockByNumber', params: [typeof block === 'number' ? toQuantity(block) : block, false] }
}

/** Requests a block with all its transactions. */
export function blockRequest(number: number): RpcRequest {
  return { method: 'eth_getBlockByNumber', params: [toQuantity(number), true] }
}

/** Returns the requests for the logs of a range; `readFoundLogs` reads the responses. */
export function logsRequests(filter: LogFilter, { from, to }: BlockRange): RpcRequest[] {
  const range = { fromBlock: toQuantity(from), toBlock: toQuantity(to) }
  return filtersOf(filter).map((each) => ({ method: 'eth_getLogs', params: [{ ...each, ...range }] }))
}

/** Returns the requests for the logs of one block. */
export function logsOfBlockRequests(filter: LogFilter, blockHash: Hex): RpcRequest[] {
  return filtersOf(filter).map((each) => ({ method: 'eth_getLogs', params: [{ ...each, blockHash }] }))
}

/** Returns how many responses a filter needs: one, and one more for logs without a topic. */
export function responseCount({ emitters = [] }: LogFilter): 1 | 2 {
  return emitters.length > 0 ? 2 : 1
}

function filtersOf({ topics, addresses = [], emitters = [] }: LogFilter): object[] {
  const byTopic = {
    ...(addresses.length > 0 ? { address: addresses } : {}),
    ...(topics.length > 0 ? { topics: [topics] } : {}),
  }
  return emitters.length > 0 ? [byTopic, { address: emitters }] : [byTopic]
}

/** Returns the block range of an eth_getLogs among the requests: an error of the batch is about that range. */
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

/** Requests all receipts of a block, in the order of its transactions. */
export function blockReceiptsRequest(number: number): RpcRequest {
  return { method: 'eth_getBlockReceipts', params: [toQuantity(number)] }
}
