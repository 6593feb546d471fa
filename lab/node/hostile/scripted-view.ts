import type { Address, Hex } from '@dexfeed/dex'
import { type ContractSource, callContract } from '../contracts/call-contract.ts'
import { type Call, type ChainView, type CodeCall, type LogFilter, NodeError } from '../rpc/answer.ts'
import type { ScriptedBlock, ScriptedChain } from './chain/scripted-chain.ts'
import { PRECOMPILED_TOKEN, type ScriptedPool } from './chain/scripted-market.ts'
import { logsOfBlock, type Proofs, type Showing, showBlock, showReceipt, showReceipts } from './show-block.ts'

/** A full node keeps the state of this many blocks. */
const STATES = 128

export interface ScriptedViewOptions extends Showing {
  chain: ScriptedChain
  /** From block 0 to the head. */
  blocks: readonly ScriptedBlock[]
  finalized: number
}

/** A scripted chain as one backend sees it. A range above its head is empty, as at most nodes. Results are JSON values. */
export class ScriptedView implements ChainView<ScriptedBlock, unknown>, ScriptedViewOptions {
  readonly chain: ScriptedChain
  readonly blocks: readonly ScriptedBlock[]
  readonly finalized: number
  readonly proofs: Proofs
  readonly showsStateSync: boolean

  constructor({ chain, blocks, finalized, proofs, showsStateSync }: ScriptedViewOptions) {
    this.chain = chain
    this.blocks = blocks
    this.finalized = finalized
    this.proofs = proofs
    this.showsStateSync = showsStateSync
  }

  get chainId(): number {
    return this.chain.chainId
  }

  get head(): number {
    return this.blocks.length - 1
  }

  at(number: number): ScriptedBlock | null {
    return this.blocks[number] ?? null
  }

  /** By hash a node has the blocks that it has seen, also those of orphaned branches. */
  byHash(hash: Hex): ScriptedBlock | null {
    const block = this.chain.byHash(hash)
    return block !== undefined && block.number <= this.head ? block : null
  }

  json(value: unknown): unknown {
    return value
  }

  block(block: ScriptedBlock, full: boolean): unknown {
    return showBlock(block, this, full)
  }

  get receipts() {
    return this.proofs === 'block-receipts' ? (block: ScriptedBlock) => showReceipts(block, this) : null
  }

  /** Of the branch that the node is on. */
  receipt(hash: Hex): unknown {
    const block = this.blocks.findLast(({ transactions }) => transactions.some((one) => one.hash === hash))
    const transaction = block?.transactions.find((one) => one.hash === hash)
    return block === undefined || transaction === undefined ? null : showReceipt(block, transaction, this.proofs)
  }

  logs({ fromBlock, toBlock, blockHash, topics, address }: LogFilter): unknown {
    const requested = topics?.[0]
    return this.#range(fromBlock, toBlock, blockHash)
      .flatMap(logsOfBlock)
      .filter((log) => requested === undefined || requested === null || requested.includes(log.topics[0] ?? '0x'))
      .filter((log) => address === undefined || address.includes(log.address))
  }

  code(address: Address): Hex {
    return address === PRECOMPILED_TOKEN ? '0xef' : '0x'
  }

  call(call: Call | CodeCall, block: ScriptedBlock): Hex {
    if (block.number < this.blocks.length - STATES) {
      throw new NodeError(-32000, `missing trie node ${block.hash.slice(2)} (path ) state is not available`)
    }
    // This node neither runs code nor has Multicall3.
    const result = 'to' in call ? callContract(contractsOf(this.chain), call, block) : '0x'
    if (result === null) throw new NodeError(3, 'execution reverted: rate limit exceeded')
    return result
  }

  #range(from?: Hex, to?: Hex, hash?: Hex): readonly ScriptedBlock[] {
    if (hash === undefined) return this.blocks.slice(Number(from), Number(to) + 1)
    const block = this.byHash(hash)
    if (block === null) throw new NodeError(-32000, 'unknown block')
    return [block]
  }
}

function contractsOf({ market }: ScriptedChain): ContractSource<ScriptedPool, ScriptedBlock> {
  const { pools, tokens } = market
  return {
    pool: (address, { states }) => pools.find((pool) => pool.address === address && states.has(address)) ?? null,
    token: (address) => tokens.find((token) => token.address === address) ?? null,
    isFactory: (address) => pools.some(({ factory }) => factory === address),
    created: (factory, addresses, fee, { states }) => {
      const [a, b] = [...addresses].sort()
      const found = pools.find(
        (pool) =>
          pool.factory === factory &&
          states.has(pool.address) &&
          pool.token0.address === a &&
          pool.token1.address === b &&
          (pool.tickSpacing === null ? fee === null : pool.fee === fee),
      )
      return found?.address ?? null
    },
    state: ({ address }, { states }) => {
      const state = states.get(address)
      if (state === undefined) throw new Error(`no state of ${address}`)
      return state
    },
    ticks: ({ address }, { states }) => {
      const state = states.get(address)
      return state?.kind === 'concentrated' ? state.ticks : null
    },
  }
}
