import type { Hex } from '@dexfeed/dex'
import { callContract } from '../../chain/contracts/call-contract.ts'
import type { Pool } from '../../chain/market.ts'
import type { ScriptedBlock, ScriptedChain } from '../../chain/scripted/scripted-chain.ts'
import { PRECOMPILED_TOKEN } from '../../chain/scripted/scripted-market.ts'
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
      const contracts = { market: chain.market, stateOf: ({ address }: Pool) => block.states.get(address) }
      const result = 'to' in call ? callContract(contracts, call) : '0x'
      if (result === null) throw new NodeError(3, 'execution reverted: rate limit exceeded')
      return result
    },
  }
}
