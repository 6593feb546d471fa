import type { Address, Hex } from '@dexfeed/dex'
import { answer, notServed } from '@dexfeed/lab/node/rpc/answer'
import { listView } from '@dexfeed/lab/node/rpc/list-view'
import { keccak256, toUtf8Bytes } from 'ethers'

export interface MemoryChain {
  readonly chainId: number
  readonly blocks: MadeBlock[]
  mine(logs?: readonly NewLog[]): MadeBlock
  fork(ancestor: number): MemoryChain
  respond(method: string, params: readonly unknown[]): unknown
}

interface NewLog {
  address?: Address
  topic?: Hex | null
  data?: Hex
  transaction?: number
}

interface MadeBlock {
  number: number
  hash: Hex
  header: Record<string, unknown>
  transactions: (Record<string, unknown> & { hash: Hex })[]
  logs: (Record<string, unknown> & { address: Address; topics: Hex[] })[]
}

export const SWAP: Hex = hashOf('Swap')
export const SYNC: Hex = hashOf('Sync')
export const POOL: Address = '0x00000000000000000000000000000000000000aa'
export const SENDER: Address = '0x00000000000000000000000000000000000000bb'

export function hashOf(...parts: unknown[]): Hex {
  return keccak256(toUtf8Bytes(parts.join('/'))) as Hex
}

export function hex(number: number): Hex {
  return `0x${number.toString(16)}`
}

export function memoryChain(chainId = 1, length = 0): MemoryChain {
  const chain = chainOf(chainId, [], 'main')
  for (let i = 0; i <= length; i++) chain.mine()
  return chain
}

let branches = 0

function chainOf(chainId: number, blocks: MadeBlock[], branch: string): MemoryChain {
  return {
    chainId,
    blocks,
    mine: (logs = []) => {
      const made = makeBlock(
        chainId,
        blocks.length,
        blocks.at(-1)?.hash ?? (`0x${'0'.repeat(64)}` as Hex),
        logs,
        branch,
      )
      blocks.push(made)
      return made
    },
    fork: (ancestor) => chainOf(chainId, blocks.slice(0, ancestor + 1), `fork ${branches++}`),
    respond: (method, params) => respond(chainId, blocks, method, params),
  }
}

function makeBlock(
  chainId: number,
  number: number,
  parentHash: Hex,
  logs: readonly NewLog[],
  branch: string,
): MadeBlock {
  const hash = hashOf(chainId, branch, number, parentHash)
  const count = Math.max(1, ...logs.map(({ transaction = 0 }) => transaction + 1))
  const transactions = Array.from({ length: count }, (_, i) => ({
    hash: hashOf('tx', hash, i),
    from: SENDER,
    value: hex(1000 + i),
    type: '0x2',
    transactionIndex: hex(i),
    input: `0x${'ab'.repeat(40)}`,
  }))
  const placed = logs.map(({ address = POOL, topic = SWAP, data = '0x01', transaction = 0 }, i) => ({
    address,
    topics: topic === null ? [] : [topic],
    data,
    blockNumber: hex(number),
    blockHash: hash,
    transactionHash: hashOf('tx', hash, transaction),
    transactionIndex: hex(transaction),
    logIndex: hex(i),
    removed: false,
  }))
  const logsBloom = bloomOf(
    logs.flatMap(({ address = POOL, topic = SWAP }) => (topic === null ? [address] : [address, topic])),
  )
  const header = { number: hex(number), hash, parentHash, timestamp: hex(1_700_000_000 + 12 * number), logsBloom }
  return { number, hash, header, transactions, logs: placed }
}

/** The 2048-bit filter of the Yellow Paper, written independently of the code under test. */
export function bloomOf(values: readonly Hex[]): Hex {
  let bloom = 0n
  for (const value of values) {
    const digest = BigInt(keccak256(value))
    for (const shift of [240n, 224n, 208n]) bloom |= 1n << ((digest >> shift) & 2047n)
  }
  return `0x${bloom.toString(16).padStart(512, '0')}`
}

function respond(chainId: number, blocks: readonly MadeBlock[], method: string, params: readonly unknown[]): unknown {
  const view = listView<MadeBlock, MadeBlock['transactions'][number]>({
    chainId,
    blocks,
    finalized: Math.max(0, blocks.length - 5),
    logsOf: ({ logs }) => logs,
    showBlock: ({ header, transactions }, full) => {
      return { ...header, transactions: full ? transactions : transactions.map(({ hash }) => hash) }
    },
    showReceipt: (block, { hash }) => {
      const logs = block.logs.filter(({ transactionHash }) => transactionHash === hash)
      return { transactionHash: hash, blockHash: block.hash, blockNumber: hex(block.number), logs }
    },
  })
  if (method === 'eth_call') throw notServed(method)
  return answer(view, method, params)
}
