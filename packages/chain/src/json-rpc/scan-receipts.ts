import type { ObjectTexts } from './cut-lists.ts'

/** Where a text begins in an answer, behind its quote, and where it ends. */
export interface Span {
  from: number
  to: number
}

export interface ScannedLog {
  address: Span
  topics: Span[]
  data: Span
  blockHash: Span
  transactionHash: Span
  blockNumber: number
  transactionIndex: number
  logIndex: number
}

export interface ScannedReceipt {
  /** 0 where the node shows none. */
  type: number
  /** Null before Byzantium. */
  status: Span | null
  root: Span | null
  cumulativeGasUsed: Span
  logsBloom: Span
  transactionHash: Span
  blockHash: Span
  logs: ScannedLog[]
}

/** Receipts as they stand in an answer's text, of which nothing is copied. */
export interface ScannedReceipts {
  text: string
  receipts: readonly ScannedReceipt[]
}

/**
 * Finds what is read of receipts in their text, without parsing it: a block's receipts are hundreds of kilobytes of which
 * a few logs are wanted. Null for what is not written as nodes usually do (with spaces, without logs, or with a removed
 * log): a parser tells what it is. Texts are found, not checked.
 */
export function scanReceipts(list: ObjectTexts): ScannedReceipts | null {
  const scanner = new Scanner(list.text)
  try {
    return { text: list.text, receipts: list.starts.map((start) => scanner.receipt(start)) }
  } catch (error) {
    if (error === UNUSUAL) return null
    throw error
  }
}

const UNUSUAL = new Error('not written as usual')
/** Lengths of texts. A short one is searched for its end. */
const [SHORT, ADDRESS, HASH, BLOOM] = [0, 42, 66, 514]
const NOWHERE: Span = { from: 0, to: 0 }
const [QUOTE, COMMA, COLON, OPEN_LIST, CLOSE_LIST, OPEN, CLOSE] = [34, 44, 58, 91, 93, 123, 125]
const [ZERO, NINE, LETTER_A, LETTER_X] = [48, 57, 97, 120]

class Scanner {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  receipt(start: number): ScannedReceipt {
    const found: ScannedReceipt = {
      type: 0,
      status: null,
      root: null,
      cumulativeGasUsed: NOWHERE,
      logsBloom: NOWHERE,
      transactionHash: NOWHERE,
      blockHash: NOWHERE,
      logs: NO_LOGS,
    }
    this.#at = start
    this.#expect(OPEN)
    do {
      switch (this.#key()) {
        case 'logs':
          found.logs = this.#logs()
          break
        case 'transactionHash':
          found.transactionHash = this.#value(HASH)
          break
        case 'blockHash':
          found.blockHash = this.#value(HASH)
          break
        case 'logsBloom':
          found.logsBloom = this.#value(BLOOM)
          break
        case 'cumulativeGasUsed':
          found.cumulativeGasUsed = this.#value(SHORT)
          break
        case 'status':
          found.status = this.#valueOrNull()
          break
        case 'root':
          found.root = this.#valueOrNull()
          break
        case 'type':
          found.type = this.#number()
          break
        default:
          this.#skip()
      }
    } while (this.#goesOn(CLOSE))
    if (found.logs === NO_LOGS) throw UNUSUAL
    return found
  }

  #logs(): ScannedLog[] {
    this.#expect(OPEN_LIST)
    if (this.#text.charCodeAt(this.#at) === CLOSE_LIST) {
      this.#at++
      return []
    }
    const logs: ScannedLog[] = []
    do logs.push(this.#log())
    while (this.#goesOn(CLOSE_LIST))
    return logs
  }

  #log(): ScannedLog {
    const found: ScannedLog = {
      address: NOWHERE,
      topics: NO_TOPICS,
      data: NOWHERE,
      blockHash: NOWHERE,
      transactionHash: NOWHERE,
      blockNumber: -1,
      transactionIndex: -1,
      logIndex: -1,
    }
    this.#expect(OPEN)
    do {
      switch (this.#key()) {
        case 'address':
          found.address = this.#value(ADDRESS)
          break
        case 'topics':
          found.topics = this.#topics()
          break
        case 'data':
          found.data = this.#value(SHORT)
          break
        case 'blockHash':
          found.blockHash = this.#value(HASH)
          break
        case 'transactionHash':
          found.transactionHash = this.#value(HASH)
          break
        case 'blockNumber':
          found.blockNumber = this.#number()
          break
        case 'transactionIndex':
          found.transactionIndex = this.#number()
          break
        case 'logIndex':
          found.logIndex = this.#number()
          break
        case 'removed':
          if (!this.#isNext('false')) throw UNUSUAL
          break
        default:
          this.#skip()
      }
    } while (this.#goesOn(CLOSE))
    if (found.topics === NO_TOPICS) throw UNUSUAL
    return found
  }

  #topics(): Span[] {
    this.#expect(OPEN_LIST)
    const topics: Span[] = []
    if (this.#text.charCodeAt(this.#at) === CLOSE_LIST) {
      this.#at++
      return topics
    }
    do topics.push(this.#value(HASH))
    while (this.#goesOn(CLOSE_LIST))
    return topics
  }

  #expect(code: number): void {
    if (this.#text.charCodeAt(this.#at++) !== code) throw UNUSUAL
  }

  /** Behind a field or an element: whether another one follows. */
  #goesOn(close: number): boolean {
    const code = this.#text.charCodeAt(this.#at++)
    if (code !== COMMA && code !== close) throw UNUSUAL
    return code === COMMA
  }

  /** The next key; the value is next. */
  #key(): string {
    const { from, to } = this.#value(SHORT)
    this.#expect(COLON)
    return this.#text.slice(from, to)
  }

  /** @param length that it usually has; a quote within would be no digit to whoever reads it */
  #value(length: number): Span {
    this.#expect(QUOTE)
    const from = this.#at
    const to = this.#text.charCodeAt(from + length) === QUOTE ? from + length : this.#text.indexOf('"', from)
    if (to < 0) throw UNUSUAL
    this.#at = to + 1
    return { from, to }
  }

  #valueOrNull(): Span | null {
    return this.#text.charCodeAt(this.#at) !== QUOTE && this.#isNext('null') ? null : this.#value(SHORT)
  }

  /** A quantity of a few lower-case digits. */
  #number(): number {
    const { from, to } = this.#value(SHORT)
    const text = this.#text
    if (to - from < 3 || to - from > 14 || text.charCodeAt(from) !== ZERO || text.charCodeAt(from + 1) !== LETTER_X) {
      throw UNUSUAL
    }
    let number = 0
    for (let i = from + 2; i < to; i++) {
      const code = text.charCodeAt(i)
      const digit = code <= NINE ? code - ZERO : code >= LETTER_A ? code - LETTER_A + 10 : -1
      if (digit < 0 || digit > 15) throw UNUSUAL
      number = number * 16 + digit
    }
    return number
  }

  /** Goes on behind a word where it is the next. */
  #isNext(word: string): boolean {
    if (!this.#text.startsWith(word, this.#at)) return false
    this.#at += word.length
    return true
  }

  /** Goes on behind a value of any kind. */
  #skip(): void {
    const text = this.#text
    let depth = 0
    do {
      const code = text.charCodeAt(this.#at)
      if (code === QUOTE) {
        this.#value(SHORT)
        continue
      }
      if (code === OPEN || code === OPEN_LIST) depth++
      else if (code === CLOSE || code === CLOSE_LIST) depth--
      if (depth < 0 || Number.isNaN(code)) throw UNUSUAL
      this.#at++
    } while (depth > 0 || !isBehindValue(text.charCodeAt(this.#at)))
  }
}

function isBehindValue(code: number): boolean {
  return code === COMMA || code === CLOSE || code === CLOSE_LIST
}

const NO_LOGS: ScannedLog[] = []
const NO_TOPICS: Span[] = []
