import type { Hex } from '@dexfeed/dex'
import type { BlockRange } from '../errors/suggest-range.ts'
import type { RpcRequest } from './messages.ts'
import { toQuantity } from './rpc-value.ts'

export interface LogFilter {
  /** Alternatives for the first topic; empty: any. */
  topics: readonly Hex[]
  /** Empty: any. */
  addresses?: readonly Hex[]
}

export function logsRequest({ topics, addresses = [] }: LogFilter, { from, to }: BlockRange): RpcRequest {
  return {
    method: 'eth_getLogs',
    params: [{ ...filterOf({ topics, addresses }), fromBlock: toQuantity(from), toBlock: toQuantity(to) }],
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
