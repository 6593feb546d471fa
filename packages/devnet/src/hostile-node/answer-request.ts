import type { Address, Hex } from '@dexfeed/dex'
import { answerCall } from './answer-call.ts'
import type { PlacedTransaction, ScriptedBlock, ScriptedChain } from './chain/scripted-chain.ts'
import { quantity } from './chain/words.ts'
import { NodeError } from './node-error.ts'

/** Of so many blocks a full node keeps the state. */
const STATES = 128

export interface RpcQuestion {
  id: number
  method: string
  params: readonly unknown[]
}

/** What a backend knows: the chain as it sees it. */
export interface NodeView {
  chain: ScriptedChain
  /** From block 0 to its head. */
  blocks: readonly ScriptedBlock[]
  finalizedNumber: number
  /** Polygon: whether the state-sync transaction stands in the block's body. */
  showsStateSync: boolean
}

export type RpcLog = Record<string, unknown> & { blockNumber: string; blockHash: Hex; address: Address; topics: Hex[] }

/** Answers like an honest node that has just these blocks, and like most nodes with nothing for blocks ahead of it. */
export function answerRequest(view: NodeView, { method, params }: Pick<RpcQuestion, 'method' | 'params'>): unknown {
  const [first, second] = params
  switch (method) {
    case 'eth_chainId':
      return quantity(view.chain.chainId)
    case 'eth_blockNumber':
      return quantity(view.blocks.length - 1)
    case 'eth_getCode':
      return '0x'
    case 'eth_getBlockByNumber':
      return showBlock(view, byTag(view, first), second === true)
    case 'eth_getBlockByHash':
      return showBlock(view, knownBlock(view, first), second === true)
    case 'eth_getLogs':
      return findLogs(view, first as LogsFilter)
    case 'eth_getTransactionReceipt':
      return showReceipt(view, first)
    case 'eth_call':
      return call(view, first as { to: Address; data: Hex }, second)
    default:
      throw new NodeError(-32601, `the method ${method} does not exist/is not available`)
  }
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

function showBlock({ showsStateSync }: NodeView, block: ScriptedBlock | undefined, full: boolean): unknown {
  if (block === undefined) return null
  const { number, hash, parentHash, timestamp, logsBloom } = block
  const body = block.transactions.filter(({ isStateSync }) => showsStateSync || !isStateSync)
  return {
    number: quantity(number),
    hash,
    parentHash,
    timestamp: quantity(timestamp),
    logsBloom,
    transactions: full ? body.map(showTransaction) : body.map((transaction) => transaction.hash),
  }
}

function showTransaction({ hash, from, value, index, isStateSync }: PlacedTransaction): unknown {
  const type = isStateSync ? '0x7f' : index % 3 === 2 ? '0x99' : '0x2'
  return { hash, from: from ?? `0x${'0'.repeat(40)}`, value: quantity(value), type, transactionIndex: quantity(index) }
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

export function logsOfBlock({ number, hash, transactions }: ScriptedBlock): RpcLog[] {
  return transactions.flatMap((transaction) =>
    transaction.placed.map(({ address, topics, data, logIndex }) => ({
      address,
      topics: [...topics],
      data,
      blockNumber: quantity(number),
      blockHash: hash,
      transactionHash: transaction.hash,
      transactionIndex: quantity(transaction.index),
      logIndex: quantity(logIndex),
      removed: false,
    })),
  )
}

/** Of the branch that the node is on. */
function showReceipt({ blocks }: NodeView, hash: unknown): unknown {
  const block = blocks.findLast(({ transactions }) => transactions.some((transaction) => transaction.hash === hash))
  if (block === undefined) return null
  const logs = logsOfBlock(block).filter(({ transactionHash }) => transactionHash === hash)
  return { transactionHash: hash, blockHash: block.hash, blockNumber: quantity(block.number), status: '0x1', logs }
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
