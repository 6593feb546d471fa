import type { Hex } from '@dexfeed/dex'
import { type ContractSource, callContract } from '../../chain/contracts/call-contract.ts'
import type { ScriptedBlock, ScriptedChain } from '../../chain/scripted/scripted-chain.ts'
import { PRECOMPILED_TOKEN, type ScriptedPool } from '../../chain/scripted/scripted-market.ts'
import { type ChainView, type LogFilter, NodeError } from '../rpc/answer.ts'
import { logsOfBlock, type Showing, showBlock, showReceipt, showReceipts } from './show-block.ts'

const STATES = 128

export interface ScriptedViewOptions extends Showing {
  chain: ScriptedChain
  blocks: readonly ScriptedBlock[]
  finalized: number
}

export type ScriptedView = ChainView<ScriptedBlock, unknown> & ScriptedViewOptions

/** Returns no logs above the head, like most nodes. */
export function scriptedView(options: ScriptedViewOptions): ScriptedView {
  const { chain, blocks, finalized, proofs, showsStateSync } = options
  const head = blocks.length - 1
  const byHash = (hash: Hex) => {
    const block = chain.byHash(hash)
    return block !== undefined && block.number <= head ? block : null
  }
  const rangeOf = ({ fromBlock, toBlock, blockHash }: LogFilter): readonly ScriptedBlock[] => {
    if (blockHash === undefined) return blocks.slice(Number(fromBlock), Number(toBlock) + 1)
    const block = byHash(blockHash)
    if (block === null) throw new NodeError(-32000, 'unknown block')
    return [block]
  }
  return {
    ...{ chain, blocks, finalized, proofs, showsStateSync, chainId: chain.chainId, head, byHash },
    at: (number) => blocks[number] ?? null,
    json: (value) => value,
    block: (block, full) => showBlock(block, options, full),
    receipts: proofs === 'block-receipts' ? (block) => showReceipts(block, options) : null,
    receipt: (hash) => {
      const isAsked = (transaction: { hash: Hex }) => transaction.hash === hash
      const block = blocks.findLast(({ transactions }) => transactions.some(isAsked))
      const transaction = block?.transactions.find(isAsked)
      return block === undefined || transaction === undefined ? null : showReceipt(block, transaction, proofs)
    },
    logs: (filter) => {
      const { topics, address } = filter
      const requested = topics?.[0]
      return rangeOf(filter)
        .flatMap(logsOfBlock)
        .filter((log) => requested === undefined || requested === null || requested.includes(log.topics[0] ?? '0x'))
        .filter((log) => address === undefined || address.includes(log.address))
    },
    code: (address) => (address === PRECOMPILED_TOKEN ? '0xef' : '0x'),
    call: (call, block) => {
      if (block.number < blocks.length - STATES) {
        throw new NodeError(-32000, `missing trie node ${block.hash.slice(2)} (path ) state is not available`)
      }
      const result = 'to' in call ? callContract(contractsOf(chain), call, block) : '0x'
      if (result === null) throw new NodeError(3, 'execution reverted: rate limit exceeded')
      return result
    },
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
