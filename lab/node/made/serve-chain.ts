import { type Hex, NETWORKS } from '@dexfeed/dex'
import { headerJson } from '../../chain/commitments/header.ts'
import { MULTICALL3 } from '../../chain/contracts/aggregate3.ts'
import { callOrRun } from '../../chain/contracts/call-contract.ts'
import type { MadeChain, MadeHeader } from '../../chain/made/made-chain.ts'
import { type ChainView, type LogFilter, numberOfTag } from '../rpc/answer.ts'
import type { BudgetPlan } from '../rpc/budget.ts'
import { findLogs } from '../rpc/find-logs.ts'
import { type HonestNode, startHonestNode } from '../rpc/honest-node.ts'
import type { Piece } from '../rpc/serve.ts'
import { type NodeUsage, noUsage, type Purpose } from '../rpc/usage.ts'
import { madeContracts } from './made-contracts.ts'

/** A node of a made chain. */
export interface ChainNode extends Pick<HonestNode, 'httpUrl' | 'wsUrl' | 'close'> {
  readonly usage: NodeUsage
  /** Milliseconds since 1970 of the first request since the last call; null: there was none. */
  firstRequestAt(): number | null
  /** Makes the next block the head and announces it. */
  publish(): void
}

export interface NodeLimits {
  budget: BudgetPlan
  /** Milliseconds until a reply is sent. */
  latencyMs: number
  /** Whether receipts of whole blocks are served. */
  receipts: boolean
}

export async function serveChain(chain: MadeChain, { budget, latencyMs, receipts }: NodeLimits): Promise<ChainNode> {
  const usage = noUsage()
  const view = madeView(chain, receipts)
  const usageOf = (method: string, params: readonly unknown[]) => usage[purposeOf(chain, view, method, params)]
  let requestedAt: number | null = null
  const onRequest = () => {
    requestedAt ??= performance.timeOrigin + performance.now()
  }
  const node = await startHonestNode({ view, budget, latencyMs, usageOf, onRequest })
  return {
    ...node,
    usage,
    firstRequestAt: () => {
      const at = requestedAt
      requestedAt = null
      return at
    },
    publish: () => {
      chain.extend()
      const head = chain.headerAt(chain.head)
      if (head !== null) node.announce(headText(chain, head))
    },
  }
}

/** Returns a made chain as its node sees it. @param hasReceipts whether receipts of whole blocks are served */
export function madeView(chain: MadeChain, hasReceipts: boolean): ChainView<MadeHeader, readonly Piece[]> {
  const { plan } = chain
  const contracts = madeContracts(chain)
  const receiptsOf = (block: MadeHeader) => block.body.receipts.fill(chain.placeIn(block))
  return {
    chainId: NETWORKS[plan.network].chainId,
    get head() {
      return chain.head
    },
    get finalized() {
      return chain.head - plan.shape.finalityLag
    },
    at: (number) => (Number.isInteger(number) ? chain.headerAt(number) : null),
    byHash: (hash) => {
      const number = chain.numberOf(hash)
      return number === null ? null : chain.headerAt(number)
    },
    json: (value) => [JSON.stringify(value)],
    block: (block, full) => blockPieces(chain, block, full),
    receipts: hasReceipts ? (block) => [receiptsOf(block)] : null,
    receipt: (hash) => {
      const found = chain.placeOfTransaction(hash)
      const block = found === null ? null : chain.headerAt(found.number)
      const place = block?.body.receiptPlaces[found?.index ?? 0]
      return block === null || place === undefined ? ['null'] : [receiptsOf(block).subarray(place.start, place.end)]
    },
    logs: (filter) => findLogs({ ...plan.shape, head: chain.head, ...logsOf(chain, receiptsOf) }, filter),
    code: (address) => (address === MULTICALL3 ? '0x60' : '0x'),
    call: (call, block) => callOrRun(contracts, call, block),
  }
}

function logsOf(chain: MadeChain, receiptsOf: (block: MadeHeader) => Buffer) {
  return {
    numberOf: (hash: Hex) => chain.numberOf(hash),
    logsAt: (number: number) => {
      const { logs: places, topics, addresses } = chain.bodyAt(number)
      const text = () => {
        const header = chain.headerAt(number)
        return header === null ? Buffer.alloc(0) : receiptsOf(header)
      }
      return { places, topics, addresses, text }
    },
  }
}

function blockPieces(chain: MadeChain, block: MadeHeader, full: boolean): readonly Piece[] {
  const head = headText(chain, block).slice(0, -1)
  const place = chain.placeIn(block)
  const transactions = full ? block.body.transactions.fill(place) : JSON.stringify(place.transactionHashes)
  const withdrawals = chain.plan.shape.appended === 'all' ? ',"withdrawals":[]' : ''
  return [`${head},"size":"0x2b2c3","uncles":[]${withdrawals},"transactions":`, transactions, '}']
}

/** Returns the header as a JSON object. */
function headText(chain: MadeChain, { hash, body, ...place }: MadeHeader): string {
  return JSON.stringify({ hash, ...headerJson(body.contents, place, chain.plan.shape.appended) })
}

/** Returns what a request is for. */
function purposeOf(
  chain: MadeChain,
  view: { head: number; finalized: number },
  method: string,
  [first]: readonly unknown[],
): Purpose {
  const { firstHead } = chain
  const of = (number: number): Purpose => (number > firstHead ? 'head' : 'history')
  switch (method) {
    case 'eth_blockNumber':
      return 'head'
    case 'eth_getBlockByNumber':
    case 'eth_getBlockReceipts': {
      const number = numberOfTag(view, first)
      return Number.isInteger(number) ? of(number) : 'head'
    }
    case 'eth_getLogs': {
      const { blockHash, fromBlock } = first as LogFilter
      return of(blockHash === undefined ? Number(fromBlock) : (chain.numberOf(blockHash) ?? 0))
    }
    case 'eth_getTransactionReceipt':
      return of(chain.placeOfTransaction(String(first) as Hex)?.number ?? 0)
    case 'eth_call':
    case 'eth_getCode':
    case 'eth_getBlockByHash':
      return 'state'
    default:
      return 'other'
  }
}
