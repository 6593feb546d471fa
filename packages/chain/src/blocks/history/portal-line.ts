import { copyOf, type Hex, type Log } from '@dexfeed/dex'
import {
  ADDRESS_LENGTH,
  HASH_LENGTH,
  MalformedResponse,
  type RpcObject,
  readAddress,
  readArray,
  readBytes,
  readHash,
  readObject,
  readWhole,
} from '../../json-rpc/rpc-value.ts'
import { KeptTexts, keysOf, TextReader, UNUSUAL } from '../../json-rpc/text-reader.ts'

/** One block. Its header and transactions are not validated yet. */
export interface PortalLine {
  header: unknown
  transactions: unknown
  logs: PortalLog[]
}

export interface PortalLog extends Log {
  transactionHash: Hex
}

const QUOTE = 34
const OPEN_LIST = 91
const CLOSE_LIST = 93
const OPEN = 123
const CLOSE = 125
const LINE_KEYS = keysOf('header', 'transactions', 'logs')
const LOG_KEYS = keysOf('logIndex', 'transactionIndex', 'transactionHash', 'address', 'topics', 'data')
const MAX_TOPICS = 4

/**
 * Reads the lines of a Portal's response. Logs make up most of a line and are not parsed as JSON: the parsed objects
 * and strings would fill memory while blocks wait.
 */
export class PortalLineReader {
  readonly #addresses = new KeptTexts(ADDRESS_LENGTH, (shown) => readAddress(shown, 'log.address'))
  readonly #topics = new KeptTexts(HASH_LENGTH, (shown) => readHash(shown, 'log.topics'))
  readonly #lineOrder: number[] = []
  readonly #logOrder: number[] = []

  /** @throws MalformedResponse, or SyntaxError if the line is not JSON */
  read(text: string): PortalLine {
    return this.#scan(text) ?? parsedLine(JSON.parse(text))
  }

  #scan(text: string): PortalLine | null {
    if (text.includes('\\')) return null
    try {
      return this.#line(text)
    } catch (error) {
      if (error === UNUSUAL || error instanceof SyntaxError || error instanceof MalformedResponse) return null
      throw error
    }
  }

  #line(text: string): PortalLine {
    const reader = new TextReader(text)
    const line: PortalLine = { header: undefined, transactions: undefined, logs: [] }
    const parsed = (): unknown => {
      const from = reader.position
      reader.skip()
      return JSON.parse(text.slice(from, reader.position))
    }
    reader.expect(OPEN)
    let field = 0
    do {
      const key = reader.key(LINE_KEYS, this.#lineOrder, field++)
      if (key === undefined) reader.skip()
      else if (key !== 'logs') line[key] = parsed()
      else line.logs = this.#logs(text, reader)
    } while (reader.goesOn(CLOSE))
    if (reader.position !== text.length) throw UNUSUAL
    return line
  }

  #logs(text: string, reader: TextReader): PortalLog[] {
    const logs: PortalLog[] = []
    reader.expect(OPEN_LIST)
    if (reader.next === CLOSE_LIST) reader.position++
    else {
      do logs.push(this.#log(text, reader, logs.at(-1)?.transactionHash))
      while (reader.goesOn(CLOSE_LIST))
    }
    return logs
  }

  #log(text: string, reader: TextReader, before: Hex | undefined): PortalLog {
    let [address, data, transactionHash]: (Hex | undefined)[] = []
    let topics: Hex[] | undefined
    let transactionIndex = -1
    let logIndex = -1
    reader.expect(OPEN)
    let field = 0
    do {
      switch (reader.key(LOG_KEYS, this.#logOrder, field++)) {
        case 'logIndex':
          logIndex = reader.whole()
          break
        case 'transactionIndex':
          transactionIndex = reader.whole()
          break
        case 'transactionHash': {
          const from = reader.textOf(HASH_LENGTH)
          const shown = text.slice(from, from + HASH_LENGTH)
          transactionHash = shown === before ? before : readHash(copyOf(shown), 'log.transactionHash')
          break
        }
        case 'address':
          address = this.#addresses.at(text, reader.textOf(ADDRESS_LENGTH))
          break
        case 'topics':
          topics = this.#topicList(text, reader)
          break
        case 'data': {
          const from = reader.value()
          data = readBytes(copyOf(text.slice(from, reader.position - 1)), 'log.data')
          break
        }
        default:
          reader.skip()
      }
    } while (reader.goesOn(CLOSE))
    if (!address || !topics || !data || !transactionHash || transactionIndex < 0 || logIndex < 0) throw UNUSUAL
    return { address, topics, data, transactionIndex, logIndex, transactionHash }
  }

  #topicList(text: string, reader: TextReader): Hex[] {
    const topics: Hex[] = []
    reader.expect(OPEN_LIST)
    if (reader.next !== QUOTE) {
      reader.expect(CLOSE_LIST)
      return topics
    }
    do {
      if (topics.length === MAX_TOPICS) throw UNUSUAL
      topics.push(this.#topics.at(text, reader.textOf(HASH_LENGTH)))
    } while (reader.goesOn(CLOSE_LIST))
    return topics
  }
}

function parsedLine(line: unknown): PortalLine {
  const { header, transactions, logs = [] } = readObject(line, 'line')
  return { header, transactions, logs: readArray(logs, 'logs').map((raw) => readLog(readObject(raw, 'log'))) }
}

function readLog({ address, topics, data, transactionIndex, logIndex, transactionHash }: RpcObject): PortalLog {
  return {
    address: readAddress(address, 'log.address'),
    topics: readArray(topics, 'log.topics').map((topic) => readHash(topic, 'log.topics')),
    data: readBytes(data, 'log.data'),
    transactionIndex: readWhole(transactionIndex, 'log.transactionIndex'),
    logIndex: readWhole(logIndex, 'log.logIndex'),
    transactionHash: readHash(transactionHash, 'log.transactionHash'),
  }
}
