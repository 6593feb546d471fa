import { type Hex, NETWORKS } from '@dexfeed/dex'
import { headerJson } from '@dexfeed/fake-node/commitments/header'
import { type Call, MULTICALL3 } from '../../node/aggregate3.ts'
import type { CodeCall } from '../../node/answer-scan.ts'
import { NodeError } from '../../node/node-error.ts'
import { quantity } from '../made/encode/body.ts'
import type { MadeHeader, MadeNetwork } from '../made/made-network.ts'
import { Contracts } from './answer-call.ts'
import { findLogs, type LogFilter } from './find-logs.ts'
import type { Purpose } from './usage.ts'

export type Piece = Buffer | string

/** What a node says about a made chain. */
export class Answerer {
  readonly #network: MadeNetwork
  readonly #contracts: Contracts
  readonly #hasReceipts: boolean
  readonly #chainId: Hex

  /** @param hasReceipts whether receipts of whole blocks are served */
  constructor(network: MadeNetwork, hasReceipts: boolean) {
    this.#network = network
    this.#contracts = new Contracts(network)
    this.#hasReceipts = hasReceipts
    this.#chainId = quantity(NETWORKS[network.plan.network].chainId)
  }

  /** The result as pieces of JSON. @throws NodeError */
  answer(method: string, params: readonly unknown[]): readonly Piece[] {
    switch (method) {
      case 'eth_chainId':
        return [JSON.stringify(this.#chainId)]
      case 'eth_blockNumber':
        return [JSON.stringify(quantity(this.#network.head))]
      case 'eth_getCode':
        return [params[0] === MULTICALL3 ? '"0x60"' : '"0x"']
      case 'eth_getBlockByNumber':
        return this.#block(this.#find(params[0]), params[1] === true)
      case 'eth_getBlockByHash':
        return this.#block(this.#byHash(params[0]), params[1] === true)
      case 'eth_getBlockReceipts':
        if (!this.#hasReceipts) break
        return this.#receipts(this.#find(params[0]))
      case 'eth_getTransactionReceipt':
        return this.#receipt(String(params[0]) as Hex)
      case 'eth_getLogs':
        return ['[', ...findLogs(this.#network, params[0] as LogFilter), ']']
      case 'eth_call':
        return [this.#callResult(params[0] as Call | CodeCall, params[1])]
    }
    throw new NodeError(-32601, `the method ${method} does not exist/is not available`)
  }

  /** What a question is about, for the count of what is used. */
  purposeOf(method: string, [first]: readonly unknown[]): Purpose {
    const { firstHead } = this.#network
    const of = (number: number): Purpose => (number > firstHead ? 'head' : 'history')
    switch (method) {
      case 'eth_blockNumber':
        return 'head'
      case 'eth_getBlockByNumber':
      case 'eth_getBlockReceipts':
        return of(this.#numberOf(first) ?? firstHead + 1)
      case 'eth_getLogs': {
        const { blockHash, fromBlock } = first as LogFilter
        return of(blockHash === undefined ? Number(fromBlock) : (this.#network.numberOf(blockHash) ?? 0))
      }
      case 'eth_getTransactionReceipt':
        return of(this.#network.placeOfTransaction(String(first) as Hex)?.number ?? 0)
      case 'eth_call':
      case 'eth_getCode':
      case 'eth_getBlockByHash':
        return 'state'
      default:
        return 'other'
    }
  }

  /** The head as a subscription reports it. */
  headReport(): string {
    const head = this.#network.headerAt(this.#network.head)
    return head === null ? 'null' : headText(this.#network, head)
  }

  #block(block: MadeHeader | null, full: boolean): readonly Piece[] {
    if (block === null) return ['null']
    const head = headText(this.#network, block).slice(0, -1)
    const place = this.#network.placeIn(block)
    const transactions = full ? block.body.transactions.fill(place) : JSON.stringify(place.transactionHashes)
    const withdrawals = this.#network.plan.shape.appended === 'all' ? ',"withdrawals":[]' : ''
    return [`${head},"size":"0x2b2c3","uncles":[]${withdrawals},"transactions":`, transactions, '}']
  }

  #receipts(block: MadeHeader | null): readonly Piece[] {
    return [block === null ? 'null' : block.body.receipts.fill(this.#network.placeIn(block))]
  }

  #receipt(hash: Hex): readonly Piece[] {
    const found = this.#network.placeOfTransaction(hash)
    const block = found === null ? null : this.#network.headerAt(found.number)
    const place = block?.body.receiptPlaces[found?.index ?? 0]
    if (block === null || place === undefined) return ['null']
    return [block.body.receipts.fill(this.#network.placeIn(block)).subarray(place.start, place.end)]
  }

  #callResult(call: Call | CodeCall, at: unknown): string {
    const hash = typeof at === 'object' && at !== null && 'blockHash' in at ? at.blockHash : null
    const block = hash === null ? this.#numberOf(at) : (this.#byHash(hash)?.number ?? null)
    if (block === null || block > this.#network.head) throw new NodeError(-32000, 'header not found')
    const result =
      'to' in call
        ? this.#contracts.call({ to: call.to.toLowerCase() as Hex, data: call.data }, block)
        : this.#contracts.run(call, block)
    if (result === null) throw new NodeError(3, 'execution reverted')
    return JSON.stringify(result)
  }

  #byHash(hash: unknown): MadeHeader | null {
    const number = this.#network.numberOf(String(hash) as Hex)
    return number === null ? null : this.#network.headerAt(number)
  }

  #find(tag: unknown): MadeHeader | null {
    const number = this.#numberOf(tag)
    return number === null ? null : this.#network.headerAt(number)
  }

  #numberOf(tag: unknown): number | null {
    const { head, plan } = this.#network
    if (tag === 'latest' || tag === 'pending' || tag === undefined) return head
    if (tag === 'finalized' || tag === 'safe') return head - plan.shape.finalityLag
    const number = Number(tag)
    return Number.isInteger(number) ? number : null
  }
}

/** The header as a JSON object. */
function headText(network: MadeNetwork, { hash, body, ...place }: MadeHeader): string {
  return JSON.stringify({ hash, ...headerJson(body.contents, place, network.plan.shape.appended) })
}
