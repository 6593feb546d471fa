import { copyOf, type Hex, type Log, present, type Receipts } from '@dexfeed/dex'
import type { LogFilter } from '../../../json-rpc/messages.ts'
import { type FullBlock, STATE_SYNC } from '../../../json-rpc/rpc-block.ts'
import { LogMatcher, type PlacedLog } from '../../../json-rpc/rpc-log.ts'
import { ADDRESS_LENGTH, HASH_LENGTH, readAddress, readBytes, readHash } from '../../../json-rpc/rpc-value.ts'
import { LOG, RECEIPT, type ScannedReceipts } from '../../../json-rpc/scan-receipts.ts'
import { isTextAt, KeptTexts, lastDigitsBefore } from '../../../json-rpc/text-reader.ts'

/**
 * Reads selected logs from the text of proven receipts. Numbers the logs by their order instead of reading their indices:
 * the receipts root proves the order, and some nodes restart the indices in each receipt.
 */
export class ScannedLogs {
  readonly #matcher: LogMatcher
  /** Last digits of the selected topics: comparing them first skips most other logs. */
  readonly #topicDigits: ReadonlySet<number>
  readonly #addresses = new KeptTexts(ADDRESS_LENGTH, (shown) => readAddress(shown, 'log.address'))
  readonly #topics = new KeptTexts(HASH_LENGTH, (shown) => readHash(shown, 'log.topics'))

  constructor(filter: LogFilter) {
    this.#matcher = new LogMatcher(filter)
    this.#topicDigits = new Set(filter.topics.map((topic) => lastDigitsBefore(topic, HASH_LENGTH)))
  }

  /**
   * Returns null if a receipt or log names another block or transaction. The caller then parses the receipts and throws.
   *
   * @param proven how many receipts the header commits to
   * @param bridged whether the block may omit the transaction of the last receipt
   */
  of(
    block: FullBlock,
    receipts: ScannedReceipts,
    { proven, bridged }: { proven: number; bridged: boolean },
  ): PlacedLog[] | null {
    const { number, hash } = block.header
    const { text, count } = receipts
    const unlisted = count - block.transactionCount
    if (unlisted < 0 || unlisted > (bridged ? 1 : 0)) return null
    const logs: PlacedLog[] = []
    for (let index = 0; index < proven; index++) {
      const isListed = index < block.transactionCount
      if (!isShown(text, receipts.ofReceipt(index, RECEIPT.blockHash), hash)) return null
      const shownHash = hashAt(text, receipts.ofReceipt(index, RECEIPT.transactionHash))
      // The receipts root covers the type, and the body lists transactions of every other type.
      if (isListed ? !block.isAt(index, shownHash as Hex) : receipts.ofReceipt(index, RECEIPT.type) !== STATE_SYNC) {
        return null
      }
      let transactionHash: Hex | null = null
      const end = receipts.ofReceipt(index, RECEIPT.logsEnd)
      for (let log = receipts.ofReceipt(index, RECEIPT.logs); log < end; log++) {
        if (!this.#isSelected(receipts, log)) continue
        if (receipts.ofLog(log, LOG.blockNumber) !== number) return null
        if (!isShown(text, receipts.ofLog(log, LOG.blockHash), hash)) return null
        if (!isShown(text, receipts.ofLog(log, LOG.transactionHash), shownHash)) return null
        transactionHash ??= readHash(copyOf(shownHash), 'receipt.transactionHash')
        logs.push(this.#read(receipts, log, { transactionHash, transactionIndex: index, blockHash: hash }))
      }
    }
    return logs
  }

  receiptsOf(block: FullBlock, receipts: ScannedReceipts, selected: readonly PlacedLog[], proven: number): Receipts {
    const { hash: blockHash } = block.header
    return receiptsByIndex(block, proven, (transactionIndex) => {
      const shownHash = hashAt(receipts.text, receipts.ofReceipt(transactionIndex, RECEIPT.transactionHash))
      const place = {
        transactionHash: readHash(copyOf(shownHash), 'receipt.transactionHash'),
        transactionIndex,
        blockHash,
      }
      const logs: Log[] = []
      let next = firstOf(selected, transactionIndex)
      const end = receipts.ofReceipt(transactionIndex, RECEIPT.logsEnd)
      for (let log = receipts.ofReceipt(transactionIndex, RECEIPT.logs); log < end; log++) {
        const read = selected[next]?.logIndex === log ? selected[next++] : undefined
        logs.push(read ?? this.#read(receipts, log, place))
      }
      return logs
    })
  }

  #isSelected(receipts: ScannedReceipts, log: number): boolean {
    const topic = receipts.topicOf(log, 0)
    if (topic === 0) return this.#isOfEmitter(receipts, log)
    if (!this.#topicDigits.has(lastDigitsBefore(receipts.text, topic + HASH_LENGTH))) return false
    return this.#matcher.topics.has(hashAt(receipts.text, topic))
  }

  #isOfEmitter(receipts: ScannedReceipts, log: number): boolean {
    if (this.#matcher.emitters.size === 0) return false
    const start = receipts.ofLog(log, LOG.address)
    return start > 0 && this.#matcher.emitters.has(receipts.text.slice(start, start + ADDRESS_LENGTH).toLowerCase())
  }

  #read(
    receipts: ScannedReceipts,
    log: number,
    {
      transactionHash,
      transactionIndex,
      blockHash,
    }: Pick<PlacedLog, 'transactionHash' | 'transactionIndex' | 'blockHash'>,
  ): PlacedLog {
    const { text } = receipts
    const topics: Hex[] = []
    const topicCount = receipts.ofLog(log, LOG.topicCount)
    for (let topic = 0; topic < topicCount; topic++) topics.push(this.#topics.at(text, receipts.topicOf(log, topic)))
    const data = text.slice(receipts.ofLog(log, LOG.data), receipts.ofLog(log, LOG.dataEnd))
    return {
      address: this.#addresses.at(text, receipts.ofLog(log, LOG.address)),
      topics,
      data: readBytes(copyOf(data), 'log.data'),
      transactionIndex,
      logIndex: log,
      blockNumber: receipts.ofLog(log, LOG.blockNumber),
      blockHash,
      transactionHash,
    }
  }
}

/**
 * Returns receipts by transaction index. An index past the body means the one transaction that the body does not list.
 */
export function receiptsByIndex(
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

function firstOf(logs: readonly PlacedLog[], transactionIndex: number): number {
  let first = 0
  let end = logs.length
  while (first < end) {
    const middle = (first + end) >> 1
    if (present(logs[middle]).transactionIndex < transactionIndex) first = middle + 1
    else end = middle
  }
  return first
}

function hashAt(text: string, start: number): string {
  return text.slice(start, start + HASH_LENGTH)
}

/** Returns false for a missing text, whose start is 0. */
function isShown(text: string, start: number, expected: string): boolean {
  return start > 0 && isTextAt(text, expected, start)
}
