import type { Hex } from '@dexfeed/dex'
import type { Rpc } from './node/rpc.ts'
import type { Random } from './random.ts'

const RECEIPT_CHUNK = 40

export interface BlockSummary {
  fromBlock: number
  toBlock: number
  transactions: number
  failed: number
}

/** Returns `count` strictly increasing times after `from`, with jitter. The last one is exactly `to`. */
export function historyTimes(from: number, to: number, count: number, random: Random): number[] {
  const step = (to - from) / count
  if (step < 2) throw new RangeError(`${count} blocks do not fit between ${from} and ${to}`)
  // Jitter below half a step keeps the order.
  const times = Array.from({ length: count }, (_, index) =>
    Math.floor(from + step * (index + 1 - 0.45 * random.next())),
  )
  times[count - 1] = to
  return times
}

export async function summarizeBlocks(
  rpc: Rpc,
  fromBlock: number,
  toBlock: number,
  mayRevert: ReadonlySet<Hex>,
): Promise<BlockSummary> {
  const summary: BlockSummary = { fromBlock, toBlock, transactions: 0, failed: 0 }
  for (let from = fromBlock; from <= toBlock; from += RECEIPT_CHUNK) {
    const count = Math.min(RECEIPT_CHUNK, toBlock - from + 1)
    const calls = Array.from({ length: count }, (_, index) => ({
      method: 'eth_getBlockReceipts',
      params: [`0x${(from + index).toString(16)}`],
    }))
    const blocks = await rpc.batch<readonly { status: Hex; transactionHash: Hex }[]>(calls)
    for (const { status, transactionHash } of blocks.flat()) {
      summary.transactions += 1
      if (status === '0x0' && !mayRevert.has(transactionHash)) summary.failed += 1
    }
  }
  return summary
}
