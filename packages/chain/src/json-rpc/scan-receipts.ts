import type { ObjectTexts } from './cut-lists.ts'
import {
  ADDRESS_LENGTH,
  BLOOM_LENGTH,
  HASH_LENGTH,
  LOG,
  type Places,
  RECEIPT,
  ScannedReceipts,
} from './scanned-receipts.ts'
import { keysOf, TextReader, UNUSUAL } from './text-reader.ts'

/**
 * Finds the fields of receipts in their text, without parsing: a block's receipts are hundreds of kilobytes, of which a
 * few logs are needed. Null for unusual text (with spaces, without logs, or with a removed log), which a parser must
 * read. Values are found, not checked.
 */
export function scanReceipts(list: ObjectTexts): ScannedReceipts | null {
  const scanner = new Scanner(list.text, list.count)
  try {
    for (const start of list.starts) scanner.receipt(start)
    return scanner.found()
  } catch (error) {
    if (error === UNUSUAL) return null
    throw error
  }
}

const MOST_TOPICS = 4
const QUOTE = 34
const CLOSE_LIST = 93
const OPEN_LIST = 91
const OPEN = 123
const CLOSE = 125

/** Keys that are read, and usual ones that are not: a known key takes a fraction of the time. */
const RECEIPT_KEYS = keysOf(
  ...(['logs', 'transactionHash', 'blockHash', 'logsBloom', 'cumulativeGasUsed', 'status', 'root', 'type'] as const),
  ...(['blockNumber', 'transactionIndex', 'from', 'to', 'gasUsed', 'effectiveGasPrice', 'contractAddress'] as const),
)
const LOG_KEYS = keysOf(
  ...(['address', 'topics', 'data', 'blockHash', 'transactionHash', 'blockNumber'] as const),
  ...(['transactionIndex', 'logIndex', 'removed', 'blockTimestamp'] as const),
)

class Scanner {
  readonly #text: string
  readonly #reader: TextReader
  readonly #receipts: Int32Array
  #receiptCount = 0
  #logs = new Int32Array(1 << 12)
  #logCount = 0
  /** The keys of the previous object, by their position in it. */
  readonly #receiptOrder: number[] = []
  readonly #logOrder: number[] = []

  constructor(text: string, receipts: number) {
    this.#text = text
    this.#reader = new TextReader(text)
    this.#receipts = new Int32Array(receipts * RECEIPT.size)
  }

  found(): ScannedReceipts {
    const logs = this.#logs.slice(0, this.#logCount * LOG.size)
    return new ScannedReceipts(this.#text, { receipts: this.#receipts, logs })
  }

  receipt(start: number): void {
    const found = this.#receipts
    const first = this.#receiptCount++ * RECEIPT.size
    found[first + RECEIPT.logs] = -1
    this.#reader.at = start
    this.#reader.expect(OPEN)
    let field = 0
    do {
      switch (this.#reader.key(RECEIPT_KEYS, this.#receiptOrder, field++)) {
        case 'logs':
          found[first + RECEIPT.logs] = this.#logCount
          this.#listOfLogs()
          found[first + RECEIPT.logsEnd] = this.#logCount
          break
        case 'transactionHash':
          found[first + RECEIPT.transactionHash] = this.#reader.textOf(HASH_LENGTH)
          break
        case 'blockHash':
          found[first + RECEIPT.blockHash] = this.#reader.textOf(HASH_LENGTH)
          break
        case 'logsBloom':
          found[first + RECEIPT.logsBloom] = this.#reader.textOf(BLOOM_LENGTH)
          break
        case 'cumulativeGasUsed':
          found[first + RECEIPT.gas] = this.#reader.value()
          found[first + RECEIPT.gasEnd] = this.#reader.at - 1
          break
        case 'status':
          this.#outcome(found, first + RECEIPT.status, first + RECEIPT.statusEnd)
          break
        case 'root':
          this.#outcome(found, first + RECEIPT.root, first + RECEIPT.rootEnd)
          break
        case 'type':
          found[first + RECEIPT.type] = this.#reader.number()
          break
        default:
          this.#reader.skip()
      }
    } while (this.#reader.goesOn(CLOSE))
    if (found[first + RECEIPT.logs] === -1) throw UNUSUAL
    for (const needed of RECEIPT_NEEDS) if (found[first + needed] === 0) throw UNUSUAL
  }

  #listOfLogs(): void {
    this.#reader.expect(OPEN_LIST)
    if (this.#reader.next === CLOSE_LIST) {
      this.#reader.at++
      return
    }
    do this.#log()
    while (this.#reader.goesOn(CLOSE_LIST))
  }

  #log(): void {
    const first = this.#logCount++ * LOG.size
    const found = this.#roomForLogs()
    // A missing place is 0. For numbers 0 is a value, so they start at -1.
    found[first + LOG.topicCount] = -1
    found[first + LOG.blockNumber] = -1
    this.#reader.expect(OPEN)
    let field = 0
    do {
      switch (this.#reader.key(LOG_KEYS, this.#logOrder, field++)) {
        case 'address':
          found[first + LOG.address] = this.#reader.textOf(ADDRESS_LENGTH)
          break
        case 'topics':
          found[first + LOG.topicCount] = this.#topics(found, first + LOG.topics)
          break
        case 'data':
          found[first + LOG.data] = this.#reader.value()
          found[first + LOG.dataEnd] = this.#reader.at - 1
          break
        case 'blockHash':
          found[first + LOG.blockHash] = this.#reader.textOf(HASH_LENGTH)
          break
        case 'transactionHash':
          found[first + LOG.transactionHash] = this.#reader.textOf(HASH_LENGTH)
          break
        case 'blockNumber':
          found[first + LOG.blockNumber] = this.#reader.number()
          break
        case 'removed':
          if (!this.#reader.isNext('false')) throw UNUSUAL
          break
        default:
          this.#reader.skip()
      }
    } while (this.#reader.goesOn(CLOSE))
    if (found[first + LOG.topicCount] === -1) throw UNUSUAL
    for (const needed of LOG_NEEDS) if (found[first + needed] === 0) throw UNUSUAL
  }

  #roomForLogs(): Int32Array {
    if (this.#logCount * LOG.size > this.#logs.length) {
      const larger = new Int32Array(2 * this.#logs.length)
      larger.set(this.#logs)
      this.#logs = larger
    }
    return this.#logs
  }

  /** @returns the number of topics */
  #topics(found: Int32Array, first: number): number {
    this.#reader.expect(OPEN_LIST)
    if (this.#reader.next === CLOSE_LIST) {
      this.#reader.at++
      return 0
    }
    let count = 0
    do {
      if (count === MOST_TOPICS) throw UNUSUAL
      found[first + count++] = this.#reader.textOf(HASH_LENGTH)
    } while (this.#reader.goesOn(CLOSE_LIST))
    return count
  }

  /** Stores the place of a text, or 0 for null. */
  #outcome(found: Places, from: number, to: number): void {
    const isNull = this.#reader.next !== QUOTE && this.#reader.isNext('null')
    found[from] = isNull ? 0 : this.#reader.value()
    found[to] = isNull ? 0 : this.#reader.at - 1
  }
}

/** What the receipts root is computed from. */
const RECEIPT_NEEDS = [RECEIPT.logsBloom, RECEIPT.gas]
const LOG_NEEDS = [LOG.address, LOG.data]
