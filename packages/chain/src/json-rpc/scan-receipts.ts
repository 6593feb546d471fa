import { present } from '@dexfeed/dex'
import type { ObjectTexts } from './cut-lists.ts'
import { ADDRESS_LENGTH, HASH_LENGTH } from './rpc-value.ts'
import { keysOf, TextReader, UNUSUAL } from './text-reader.ts'

export const BLOOM_LENGTH = 514

/**
 * Offsets of a receipt's numbers. Most are where a text begins in the response, after its quote, or (`...End`) where it
 * ends; 0 if it is missing. `logs` and `logsEnd` count logs.
 */
export const RECEIPT = {
  /** The number itself; 0 if the node does not return it. */
  type: 0,
  status: 1,
  statusEnd: 2,
  root: 3,
  rootEnd: 4,
  gas: 5,
  gasEnd: 6,
  logsBloom: 7,
  transactionHash: 8,
  blockHash: 9,
  logs: 10,
  logsEnd: 11,
  size: 12,
} as const

/**
 * Offsets of a log's numbers, as in RECEIPT. `topicCount` and `blockNumber` are the numbers themselves, -1 if missing.
 */
export const LOG = {
  address: 0,
  topicCount: 1,
  /** Room for four. */
  topics: 2,
  data: 6,
  dataEnd: 7,
  blockHash: 8,
  transactionHash: 9,
  blockNumber: 10,
  size: 11,
} as const

type FieldOf<Fields> = Exclude<Fields[keyof Fields], Fields['size' & keyof Fields]>

/**
 * Where receipts' fields are in a response's text, as numbers: objects would be a third of what the garbage collector
 * scans.
 */
export class ScannedReceipts {
  readonly text: string
  readonly count: number
  readonly #receipts: Int32Array
  readonly #logs: Int32Array

  constructor(text: string, { receipts, logs }: { receipts: Int32Array; logs: Int32Array }) {
    this.text = text
    this.count = receipts.length / RECEIPT.size
    this.#receipts = receipts
    this.#logs = logs
  }

  ofReceipt(receipt: number, field: FieldOf<typeof RECEIPT>): number {
    return present(this.#receipts[receipt * RECEIPT.size + field])
  }

  ofLog(log: number, field: FieldOf<typeof LOG>): number {
    return present(this.#logs[log * LOG.size + field])
  }

  topicOf(log: number, topic: number): number {
    return present(this.#logs[log * LOG.size + LOG.topics + topic])
  }
}

/**
 * Finds the fields of receipts in their text without checking them, because only a few logs of hundreds of kilobytes
 * are needed. Returns null for unusual text (spaces, no logs, a removed log), which a parser must read.
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

const MAX_TOPICS = 4
const QUOTE = 34
const CLOSE_LIST = 93
const OPEN_LIST = 91
const OPEN = 123
const CLOSE = 125

/** Includes fields that are not read, because skipping a known key takes a fraction of the time. */
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
    this.#reader.position = start
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
          found[first + RECEIPT.gasEnd] = this.#reader.position - 1
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
      this.#reader.position++
      return
    }
    do this.#log()
    while (this.#reader.goesOn(CLOSE_LIST))
  }

  #log(): void {
    const first = this.#logCount++ * LOG.size
    const found = this.#roomForLogs()
    // For these numbers 0 is a value, so -1 marks a missing one.
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
          found[first + LOG.dataEnd] = this.#reader.position - 1
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

  #topics(found: Int32Array, first: number): number {
    this.#reader.expect(OPEN_LIST)
    if (this.#reader.next === CLOSE_LIST) {
      this.#reader.position++
      return 0
    }
    let count = 0
    do {
      if (count === MAX_TOPICS) throw UNUSUAL
      found[first + count++] = this.#reader.textOf(HASH_LENGTH)
    } while (this.#reader.goesOn(CLOSE_LIST))
    return count
  }

  #outcome(found: Int32Array, from: number, to: number): void {
    const isNull = this.#reader.next !== QUOTE && this.#reader.isNext('null')
    found[from] = isNull ? 0 : this.#reader.value()
    found[to] = isNull ? 0 : this.#reader.position - 1
  }
}

/** Fields without which the receipts root cannot be computed. */
const RECEIPT_NEEDS = [RECEIPT.logsBloom, RECEIPT.gas]
const LOG_NEEDS = [LOG.address, LOG.data]
