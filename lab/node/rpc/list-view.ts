import type { Address, Hex } from '@dexfeed/dex'
import { type ChainView, type LogFilter, NodeError } from './answer.ts'

interface ListedBlock<T> {
  number: number
  hash: Hex
  transactions: readonly T[]
}

/** Blocks in memory, and how a node shows them. */
interface ListedChain<B, T> {
  chainId: number
  blocks: readonly B[]
  finalized: number
  showBlock(block: B, full: boolean): unknown
  showReceipt(block: B, transaction: T): unknown
  logsOf(block: B): readonly { address: Address; topics: readonly Hex[] }[]
  /** Default: searches `blocks`. */
  byHash?(hash: Hex): B | null
}

/** Returns no logs above the head, like most nodes. Has no contracts, and no receipts of whole blocks. */
export function listView<B extends ListedBlock<T>, T extends { hash: Hex }>(
  chain: ListedChain<B, T>,
): ChainView<B, unknown> {
  const { chainId, blocks, finalized, showBlock, showReceipt, logsOf } = chain
  const find = (hash: Hex) => blocks.findLast((block) => block.hash === hash) ?? null
  const { byHash = find } = chain
  const blocksIn = ({ fromBlock, toBlock, blockHash }: LogFilter): readonly B[] => {
    if (blockHash === undefined) {
      return blocks.filter(({ number }) => number >= Number(fromBlock) && number <= Number(toBlock))
    }
    const block = byHash(blockHash)
    if (block === null) throw new NodeError(-32000, 'unknown block')
    return [block]
  }
  return {
    chainId,
    head: blocks.at(-1)?.number ?? 0,
    finalized,
    at: (number) => blocks.find((block) => block.number === number) ?? null,
    byHash,
    json: (value) => value,
    block: showBlock,
    receipts: null,
    receipt: (hash) => {
      for (const block of blocks.toReversed()) {
        const transaction = block.transactions.find((each) => each.hash === hash)
        if (transaction !== undefined) return showReceipt(block, transaction)
      }
      return null
    },
    logs: (filter) => {
      const [topics, { address }] = [filter.topics?.[0], filter]
      return blocksIn(filter)
        .flatMap(logsOf)
        .filter((log) => !topics || topics.includes(log.topics[0] ?? '0x'))
        .filter((log) => address === undefined || address.includes(log.address))
    },
    code: () => '0x',
    call: () => '0x',
  }
}
