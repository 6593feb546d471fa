import { type Hex, NETWORKS } from '@dexfeed/dex'
import { headerJson } from '@dexfeed/fake-node/commitments/header'
import { MULTICALL3 } from '@dexfeed/fake-node/contracts/aggregate3'
import { callOrRun } from '@dexfeed/fake-node/contracts/call-contract'
import { type Call, type ChainView, type CodeCall, type LogFilter, numberOfTag } from '@dexfeed/fake-node/rpc/answer'
import type { BudgetPlan } from '@dexfeed/fake-node/rpc/budget'
import { findLogs } from '@dexfeed/fake-node/rpc/find-logs'
import { type HonestNode, startHonestNode } from '@dexfeed/fake-node/rpc/honest-node'
import type { Piece } from '@dexfeed/fake-node/rpc/serve'
import { type NodeUsage, noUsage, type Purpose } from '@dexfeed/fake-node/rpc/usage'
import type { MadeHeader, MadeNetwork } from '../made/made-network.ts'
import { madeContracts } from './made-contracts.ts'

/** A node of a made network. */
export interface NetworkNode extends Pick<HonestNode, 'httpUrl' | 'wsUrl' | 'close'> {
  readonly usage: NodeUsage
  /** Makes the next block the head and announces it. */
  publish(): void
}

export interface NetworkNodePlan {
  budget: BudgetPlan
  /** Milliseconds until a reply is sent. */
  latencyMs: number
  /** Whether receipts of whole blocks are served. */
  receipts: boolean
}

export async function serveNetwork(
  network: MadeNetwork,
  { budget, latencyMs, receipts }: NetworkNodePlan,
): Promise<NetworkNode> {
  const usage = noUsage()
  const view = networkView(network, receipts)
  const usageOf = (method: string, params: readonly unknown[]) => usage[purposeOf(network, view, method, params)]
  const node = await startHonestNode({ view, budget, latencyMs, usageOf })
  return {
    ...node,
    usage,
    publish: () => {
      network.extend()
      const head = network.headerAt(network.head)
      if (head !== null) node.announce(headText(network, head))
    },
  }
}

/** Returns a made chain as its node sees it. @param hasReceipts whether receipts of whole blocks are served */
export function networkView(network: MadeNetwork, hasReceipts: boolean): ChainView<MadeHeader, readonly Piece[]> {
  const { plan } = network
  const contracts = madeContracts(network)
  const receiptsOf = (block: MadeHeader) => block.body.receipts.fill(network.placeIn(block))
  return {
    chainId: NETWORKS[plan.network].chainId,
    get head() {
      return network.head
    },
    get finalized() {
      return network.head - plan.shape.finalityLag
    },
    at: (number) => (Number.isInteger(number) ? network.headerAt(number) : null),
    byHash: (hash) => {
      const number = network.numberOf(hash)
      return number === null ? null : network.headerAt(number)
    },
    json: (value) => [JSON.stringify(value)],
    block: (block, full) => blockPieces(network, block, full),
    receipts: hasReceipts ? (block) => [receiptsOf(block)] : null,
    receipt: (hash) => {
      const found = network.placeOfTransaction(hash)
      const block = found === null ? null : network.headerAt(found.number)
      const place = block?.body.receiptPlaces[found?.index ?? 0]
      return block === null || place === undefined ? ['null'] : [receiptsOf(block).subarray(place.start, place.end)]
    },
    logs: (filter) => findLogs({ ...plan.shape, head: network.head, ...logsOf(network, receiptsOf) }, filter),
    code: (address) => (address === MULTICALL3 ? '0x60' : '0x'),
    call: (call: Call | CodeCall, block) => callOrRun(contracts, call, block),
  }
}

function logsOf(network: MadeNetwork, receiptsOf: (block: MadeHeader) => Buffer) {
  return {
    numberOf: (hash: Hex) => network.numberOf(hash),
    logsAt: (number: number) => {
      const { logs: places, topics, addresses } = network.bodyAt(number)
      const text = () => {
        const header = network.headerAt(number)
        return header === null ? Buffer.alloc(0) : receiptsOf(header)
      }
      return { places, topics, addresses, text }
    },
  }
}

function blockPieces(network: MadeNetwork, block: MadeHeader, full: boolean): readonly Piece[] {
  const head = headText(network, block).slice(0, -1)
  const place = network.placeIn(block)
  const transactions = full ? block.body.transactions.fill(place) : JSON.stringify(place.transactionHashes)
  const withdrawals = network.plan.shape.appended === 'all' ? ',"withdrawals":[]' : ''
  return [`${head},"size":"0x2b2c3","uncles":[]${withdrawals},"transactions":`, transactions, '}']
}

/** Returns the header as a JSON object. */
function headText(network: MadeNetwork, { hash, body, ...place }: MadeHeader): string {
  return JSON.stringify({ hash, ...headerJson(body.contents, place, network.plan.shape.appended) })
}

/** Returns what a request is for. */
function purposeOf(
  network: MadeNetwork,
  view: { head: number; finalized: number },
  method: string,
  [first]: readonly unknown[],
): Purpose {
  const { firstHead } = network
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
      return of(blockHash === undefined ? Number(fromBlock) : (network.numberOf(blockHash) ?? 0))
    }
    case 'eth_getTransactionReceipt':
      return of(network.placeOfTransaction(String(first) as Hex)?.number ?? 0)
    case 'eth_call':
    case 'eth_getCode':
    case 'eth_getBlockByHash':
      return 'state'
    default:
      return 'other'
  }
}
