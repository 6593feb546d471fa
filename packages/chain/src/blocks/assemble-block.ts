import type { Block, BlockHeader, Log, Transaction } from '@dexfeed/dex'
import type { Session } from '../endpoints/endpoint-pool.ts'
import type { FullBlock } from '../json-rpc/rpc-block.ts'
import type { PlacedLog } from '../json-rpc/rpc-log.ts'

/**
 * Builds a block from its body and its logs.
 *
 * @param inconsistent returns the error to throw if a log does not belong to the block
 * @param logsWithoutTransaction keep logs whose transaction is not in the body: some nodes omit Polygon's state-sync
 * transactions
 */
export function assembleBlock(
  block: FullBlock,
  placed: readonly PlacedLog[],
  inconsistent: (what: string) => Error,
  logsWithoutTransaction: boolean,
): Block {
  const { number, hash } = block.header
  const transactions = new Map<number, Transaction>()
  const logs = placed.map((log) => {
    if (log.blockHash !== hash)
      throw inconsistent(`a log of block ${number} is of ${log.blockHash}, the block is ${hash}`)
    let index = log.transactionIndex
    if (transactions.get(index)?.hash === log.transactionHash) return log
    const found = block.transaction(index, log.transactionHash)
    if (!found && !logsWithoutTransaction) {
      throw inconsistent(`block ${number} has no transaction ${log.transactionHash} at ${index}, but a log of it`)
    }
    // Nodes disagree about the index of such a transaction. One past the body is unique.
    if (!found) index = Math.max(index, block.transactionCount)
    transactions.set(index, found ?? { hash: log.transactionHash, from: null, value: 0n })
    return index === log.transactionIndex ? log : { ...log, transactionIndex: index }
  })
  return { ...block.header, logs: inOrder(logs), transactions }
}

export function emptyBlock(header: BlockHeader): Block {
  return { ...header, logs: [], transactions: new Map() }
}

function inOrder(logs: Log[]): Log[] {
  const isOrdered = logs.every((log, i) => {
    const before = logs[i - 1]
    return before === undefined || before.transactionIndex <= log.transactionIndex
  })
  return isOrdered ? logs : logs.sort((a, b) => a.transactionIndex - b.transactionIndex)
}

/** @throws ChainInconsistent if consecutive blocks are not linked by parent hash */
export function checkLinks(session: Session, blocks: readonly Block[]): void {
  blocks.forEach((block, i) => {
    const parent = blocks[i - 1]
    if (parent && block.parentHash !== parent.hash) {
      throw session.inconsistent(`block ${block.number} does not build on block ${parent.number}`)
    }
  })
}

export function withoutEmpty(blocks: readonly Block[]): Block[] {
  return blocks.filter(({ logs }, i) => logs.length > 0 || i === 0 || i === blocks.length - 1)
}
