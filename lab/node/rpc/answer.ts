import type { Address, Hex } from '@dexfeed/dex'
import { quantity } from '../../chain/abi.ts'
import type { Call } from '../../chain/contracts/call-contract.ts'
import type { CodeCall } from '../../chain/contracts/run-scan.ts'

export class NodeError extends Error {
  override readonly name = 'NodeError'
  readonly code: number
  readonly data: unknown

  constructor(code: number, message: string, data?: unknown) {
    super(message)
    this.code = code
    this.data = data
  }
}

export interface LogFilter {
  fromBlock?: Hex
  toBlock?: Hex
  blockHash?: Hex
  topics?: readonly (readonly Hex[] | Hex | null)[]
  address?: readonly Address[] | Address
}

/** A chain as one node sees it. `R` is a JSON value, or JSON text in pieces. */
export interface ChainView<B extends { number: number }, R> {
  readonly chainId: number
  readonly head: number
  readonly finalized: number
  at(number: number): B | null
  byHash(hash: Hex): B | null
  json(value: unknown): R
  block(block: B, full: boolean): R
  readonly receipts: ((block: B) => R) | null
  receipt(transactionHash: Hex): R
  /** @throws NodeError */
  logs(filter: LogFilter): R
  code(address: Address): Hex
  /**
   * Returns null if the call reverts.
   *
   * @throws NodeError
   */
  call(call: Call | CodeCall, block: B): Hex | null
}

/** @throws NodeError for an error reply */
export function answer<B extends { number: number }, R>(
  view: ChainView<B, R>,
  method: string,
  [first, second]: readonly unknown[] = [],
): R {
  const shown = (block: B | null) => (block === null ? view.json(null) : view.block(block, second === true))
  switch (method) {
    case 'eth_chainId':
      return view.json(quantity(view.chainId))
    case 'eth_blockNumber':
      return view.json(quantity(view.head))
    case 'eth_getCode':
      return view.json(view.code(first as Address))
    case 'eth_getBlockByNumber':
      return shown(byTag(view, first))
    case 'eth_getBlockByHash':
      return shown(view.byHash(first as Hex))
    case 'eth_getBlockReceipts': {
      if (view.receipts === null) throw notServed(method)
      const block = byTag(view, first)
      return block === null ? view.json(null) : view.receipts(block)
    }
    case 'eth_getTransactionReceipt':
      return view.receipt(first as Hex)
    case 'eth_getLogs':
      return view.logs(first as LogFilter)
    case 'eth_call':
      return view.json(callAt(view, first as Call | CodeCall, second))
    default:
      throw notServed(method)
  }
}

export function notServed(method: string): NodeError {
  return new NodeError(-32601, `the method ${method} does not exist/is not available`)
}

export function numberOfTag({ head, finalized }: { head: number; finalized: number }, tag: unknown): number {
  if (tag === 'latest' || tag === 'pending' || tag === undefined) return head
  return tag === 'finalized' || tag === 'safe' ? finalized : Number(tag)
}

function byTag<B extends { number: number }>(view: ChainView<B, unknown>, tag: unknown): B | null {
  return view.at(numberOfTag(view, tag))
}

function callAt<B extends { number: number }>(view: ChainView<B, unknown>, call: Call | CodeCall, at: unknown): Hex {
  const hash = typeof at === 'object' && at !== null && 'blockHash' in at ? (at.blockHash as Hex) : null
  const block = hash === null ? byTag(view, at) : view.byHash(hash)
  if (block === null) throw new NodeError(-32000, 'header not found')
  const result = view.call('to' in call ? { ...call, to: call.to.toLowerCase() as Address } : call, block)
  if (result === null) throw new NodeError(3, 'execution reverted')
  return result
}
