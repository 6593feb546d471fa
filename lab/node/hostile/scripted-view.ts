import { callContract } from '../../chain/contracts/call-contract.ts'
import type { Pool } from '../../chain/market.ts'
import type { PlacedTransaction, ScriptedBlock, ScriptedChain } from '../../chain/scripted/scripted-chain.ts'
import { PRECOMPILED_TOKEN } from '../../chain/scripted/scripted-market.ts'
import { type ChainView, NodeError } from '../rpc/answer.ts'
import { listView } from '../rpc/list-view.ts'
import { logsOfBlock, type Showing, showBlock, showReceipt, showReceipts } from './show-block.ts'

const STATES = 128

export interface ScriptedViewOptions extends Showing {
  chain: ScriptedChain
  blocks: readonly ScriptedBlock[]
  finalized: number
}

export type ScriptedView = ChainView<ScriptedBlock, unknown> & ScriptedViewOptions

export function scriptedView(options: ScriptedViewOptions): ScriptedView {
  const { chain, blocks, finalized, proofs, showsStateSync } = options
  const view = listView<ScriptedBlock, PlacedTransaction>({
    chainId: chain.chainId,
    blocks,
    finalized,
    logsOf: logsOfBlock,
    showBlock: (block, full) => showBlock(block, options, full),
    showReceipt: (block, transaction) => showReceipt(block, transaction, proofs),
    byHash: (hash) => {
      const block = chain.byHash(hash)
      return block !== undefined && block.number < blocks.length ? block : null
    },
  })
  return {
    ...view,
    chain,
    blocks,
    proofs,
    showsStateSync,
    at: (number) => blocks[number] ?? null,
    receipts: proofs === 'block-receipts' ? (block) => showReceipts(block, options) : null,
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
