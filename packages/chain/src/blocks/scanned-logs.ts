import { type Address, copyOf, type Hex, type Log, type Receipts } from '@dexfeed/dex'
import type { FullBlock } from '../json-rpc/rpc-block.ts'
import { inLogOrder, type PlacedLog } from '../json-rpc/rpc-log.ts'
import { readAddress, readBytes, readHash } from '../json-rpc/rpc-value.ts'
import type { ScannedLog, ScannedReceipts, Span } from '../json-rpc/scan-receipts.ts'

/** Texts that are kept beyond the answer that they were read of: the same few come in every block. */
const KEPT_TEXTS = 50_000

/**
 * Takes the wanted logs out of receipts that prove their block. Null where these state anything else about a log or a
 * receipt than its place in the block: whoever reads them field by field says what.
 */
export class ScannedLogs {
  readonly #wanted: ReadonlySet<string>
  readonly #addresses = new Map<string, Address>()
  readonly #topics = new Map<string, Hex>()

  constructor(topics: readonly Hex[]) {
    this.#wanted = new Set(topics)
  }

  /** In log order. @param bridged whether the last receipt may be of a transaction that the block does not list */
  of(block: FullBlock, { text, receipts }: ScannedReceipts, bridged: boolean): PlacedLog[] | null {
    const { number, hash } = block.header
    const unlisted = receipts.length - block.transactionCount
    if (unlisted < 0 || unlisted > (bridged ? 1 : 0)) return null
    const logs: PlacedLog[] = []
    let logIndex = 0
    for (const [index, receipt] of receipts.entries()) {
      const isListed = index < block.transactionCount
      if (!isAt(text, receipt.blockHash, hash)) return null
      const shownHash = textAt(text, receipt.transactionHash)
      if (isListed && !block.isAt(index, shownHash as Hex)) return null
      let transactionHash: Hex | null = null
      for (const log of receipt.logs) {
        const isInPlace = log.transactionIndex === index && log.logIndex === logIndex++
        if (isListed && !isInPlace) return null
        const [topic] = log.topics
        if (topic === undefined || !this.#wanted.has(textAt(text, topic))) continue
        if (log.blockNumber !== number || !isAt(text, log.blockHash, hash)) return null
        if (!isAt(text, log.transactionHash, shownHash)) return null
        transactionHash ??= readHash(copyOf(shownHash), 'receipt.transactionHash')
        logs.push(this.#read(text, log, transactionHash, hash))
      }
    }
    return inLogOrder(logs)
  }

  /** Every log of the block's transactions, once `of` has found them in place. */
  receiptsOf(block: FullBlock, { text, receipts }: ScannedReceipts): Receipts {
    return receiptsBehind(block, receipts.length, (index) => {
      const receipt = receipts[index]
      if (receipt === undefined) return []
      const hash = readHash(copyOf(textAt(text, receipt.transactionHash)), 'receipt.transactionHash')
      return receipt.logs.map((log) => ({ ...this.#read(text, log, hash, block.header.hash), transactionIndex: index }))
    })
  }

  #read(text: string, log: ScannedLog, transactionHash: Hex, blockHash: Hex): PlacedLog {
    const { transactionIndex, logIndex, blockNumber } = log
    const address = kept(this.#addresses, textAt(text, log.address), (shown) => readAddress(shown, 'log.address'))
    const topics = log.topics.map((topic) =>
      kept(this.#topics, textAt(text, topic), (shown) => readHash(shown, 'log.topics')),
    )
    const data = readBytes(copyOf(textAt(text, log.data)), 'log.data')
    return { address, topics, data, transactionIndex, logIndex, blockNumber, blockHash, transactionHash }
  }
}

/** Receipts by transaction; the one behind the body is of a transaction that the block does not list. */
export function receiptsBehind(
  { transactionCount, transactions }: FullBlock,
  count: number,
  read: (index: number) => readonly Log[],
): Receipts {
  return {
    transactions,
    logsOf(transactionIndex) {
      const index = Math.min(transactionIndex, transactionCount)
      return index < count ? read(index) : null
    },
  }
}

function textAt(text: string, { from, to }: Span): string {
  return text.slice(from, to)
}

function isAt(text: string, { from, to }: Span, expected: string): boolean {
  return to - from === expected.length && text.startsWith(expected, from)
}

/** The answer that a slice is of stays in memory with it: what is kept is a copy. */
function kept<T extends string>(texts: Map<string, T>, slice: string, read: (text: string) => T): T {
  const known = texts.get(slice)
  if (known !== undefined) return known
  const copy = copyOf(slice)
  const value = read(copy)
  if (texts.size >= KEPT_TEXTS) texts.clear()
  texts.set(copy, value)
  return value
}
