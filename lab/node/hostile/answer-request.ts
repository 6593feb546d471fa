import type { Address, Hex } from '@dexfeed/dex'
import { answerCall } from './answer-call.ts'
import type { ScriptedBlock, ScriptedChain } from './chain/scripted-chain.ts'
import { PRECOMPILED_TOKEN } from './chain/scripted-market.ts'
import { quantity } from './chain/words.ts'
import { NodeError } from './node-error.ts'
import {
  logsOfBlock,
  type RpcLog,
  type RpcReceipt,
  type Showing,
  type ShownBlock,
  showBlock,
  showReceipt,
  showReceipts,
} from './show-block.ts'

/** Of so many blocks a full node keeps the state. */
const STATES = 128

export interface RpcQuestion {
  id: number
  method: string
  params: readonly unknown[]
}

/** What a backend knows: the chain as it sees it. */
export interface NodeView extends Showing {
  chain: ScriptedChain
  /** From block 0 to its head. */
  blocks: readonly ScriptedBlock[]
  finalizedNumber: number
}

/** Answers like an honest node that has just these blocks, and like most nodes with nothing for blocks ahead of it. */
export function answerRequest(view: NodeView, { method, params }: Pick<RpcQuestion, 'method' | 'params'>): unknown {
  const [first, second] = params
  switch (method) {
    case 'eth_chainId':
      return quantity(view.chain.chainId)
    case 'eth_blockNumber':
      return quantity(view.blocks.length - 1)
    case 'eth_getCode':
      return first === PRECOMPILED_TOKEN ? '0xef' : '0x'
    case 'eth_getBlockByNumber':
      return blockOrNull(view, byTag(view, first), second)
    case 'eth_getBlockByHash':
      return blockOrNull(view, knownBlock(view, first), second)
    case 'eth_getLogs':
      return findLogs(view, first as LogsFilter)
    case 'eth_getTransactionReceipt':
      return receiptOf(view, first)
    case 'eth_getBlockReceipts':
      if (view.proofs === 'block-receipts') return receiptsOf(view, first)
      throw notServed(method)
    case 'eth_call':
      return call(view, first as { to: Address; data: Hex }, second)
    default:
      throw notServed(method)
  }
}

/** The error of a node that does not know a method. */
export function notServed(method: string): NodeError {
  return new NodeError(-32601, `the method ${method} does not exist/is not available`)
}

function byTag({ blocks, finalizedNumber }: NodeView, tag: unknown): ScriptedBlock | undefined {
  if (tag === 'latest') return blocks.at(-1)
  return blocks[tag === 'finalized' ? finalizedNumber : Number(tag)]
}

/** By hash a node has the blocks that it has seen, also of orphaned branches. */
function knownBlock({ chain, blocks }: NodeView, hash: unknown): ScriptedBlock | undefined {
  const block = chain.byHash(hash as Hex)
  return block !== undefined && block.number < blocks.length ? block : undefined
}

function blockOrNull(view: NodeView, block: ScriptedBlock | undefined, full: unknown): ShownBlock | null {
  return block === undefined ? null : showBlock(block, view, full === true)
}

interface LogsFilter {
  fromBlock?: Hex
  toBlock?: Hex
  blockHash?: Hex
  topics?: readonly (readonly Hex[])[]
  address?: readonly Address[]
}

function findLogs(view: NodeView, { fromBlock, toBlock, blockHash, topics, address }: LogsFilter): RpcLog[] {
  const wanted = topics?.[0]
  return blocksOf(view, fromBlock, toBlock, blockHash)
    .flatMap(logsOfBlock)
    .filter((log) => wanted === undefined || wanted.includes(log.topics[0] ?? '0x'))
    .filter((log) => address === undefined || address.includes(log.address))
}

function blocksOf(view: NodeView, from?: Hex, to?: Hex, hash?: Hex): readonly ScriptedBlock[] {
  if (hash === undefined) return view.blocks.slice(Number(from), Number(to) + 1)
  const block = knownBlock(view, hash)
  if (block === undefined) throw new NodeError(-32000, 'unknown block')
  return [block]
}

/** Of the branch that the node is on. */
function receiptOf({ blocks, proofs }: NodeView, hash: unknown): RpcReceipt | null {
  const block = blocks.findLast(({ transactions }) => transactions.some((transaction) => transaction.hash === hash))
  const transaction = block?.transactions.find((one) => one.hash === hash)
  return block === undefined || transaction === undefined ? null : showReceipt(block, transaction, proofs)
}

function receiptsOf(view: NodeView, tag: unknown): RpcReceipt[] | null {
  const block = byTag(view, tag)
  return block === undefined ? null : showReceipts(block, view)
}

function call(view: NodeView, { to, data }: { to: Address; data: Hex }, at: unknown): Hex {
  const block =
    typeof at === 'object' && at !== null && 'blockHash' in at ? knownBlock(view, at.blockHash) : byTag(view, at)
  if (block === undefined) throw new NodeError(-32000, 'header not found')
  if (block.number < view.blocks.length - STATES) {
    throw new NodeError(-32000, `missing trie node ${block.hash.slice(2)} (path ) state is not available`)
  }
  const answer = answerCall(view.chain.market, block, to, data)
  if (answer === null) throw new NodeError(3, 'execution reverted: rate limit exceeded')
  return answer
}
