import type { Address, Hex, Log } from '@dexfeed/dex'
import type { LogFilter } from './messages.ts'
import {
  type RpcObject,
  readAddress,
  readArray,
  readBytes,
  readHash,
  readObject,
  readQuantity,
  toQuantity,
} from './rpc-value.ts'

export interface PlacedLog extends Log {
  blockNumber: number
  blockHash: Hex
  transactionHash: Hex
}

/**
 * Throws the error from `inconsistent` if a reorg has removed a log.
 *
 * @param texts shared by the lists of one response
 */
export function readLogs(
  value: unknown,
  inconsistent: (what: string) => Error,
  texts: KnownTexts = new KnownTexts(),
): PlacedLog[] {
  let before: PlacedLog | null = null
  return readArray(value, 'logs').map((entry) => {
    const log = readObject(entry, 'log')
    if (log.removed === true) throw inconsistent('a removed log')
    before = readLog(log, before, texts)
    return before
  })
}

/** Addresses and topics of one response. The same few recur, so each is checked and kept once. */
export class KnownTexts {
  readonly #addresses = new Map<unknown, Address>()
  readonly #topics = new Map<unknown, Hex>()

  address(value: unknown): Address {
    return this.#addresses.get(value) ?? remember(this.#addresses, value, readAddress(value, 'log.address'))
  }

  topic(value: unknown): Hex {
    return this.#topics.get(value) ?? remember(this.#topics, value, readHash(value, 'log.topics'))
  }
}

function remember<T>(cache: Map<unknown, T>, value: unknown, read: T): T {
  cache.set(value, read)
  return read
}

function readLog(log: RpcObject, before: PlacedLog | null, texts: KnownTexts): PlacedLog {
  const { blockHash, transactionHash } = log
  return {
    address: texts.address(log.address),
    topics: readArray(log.topics, 'log.topics').map((topic) => texts.topic(topic)),
    data: readBytes(log.data, 'log.data'),
    transactionIndex: readQuantity(log.transactionIndex, 'log.transactionIndex'),
    logIndex: readQuantity(log.logIndex, 'log.logIndex'),
    blockNumber: readQuantity(log.blockNumber, 'log.blockNumber'),
    blockHash: before && blockHash === before.blockHash ? before.blockHash : readHash(blockHash, 'log.blockHash'),
    transactionHash:
      before && transactionHash === before.transactionHash
        ? before.transactionHash
        : readHash(transactionHash, 'log.transactionHash'),
  }
}

/**
 * Sorts logs by block, transaction and log index, and removes duplicates. Two different logs with one index (some
 * Polygon nodes number state-sync logs again) are both kept, in an order that does not depend on the node.
 */
export function inLogOrder(logs: PlacedLog[]): PlacedLog[] {
  if (isStrictlyOrdered(logs)) return logs
  const sorted = [...logs].sort(compareLogs)
  return sorted.filter((log, i) => {
    const before = sorted[i - 1]
    return before === undefined || compareLogs(before, log) !== 0
  })
}

export function byBlockNumber(logs: readonly PlacedLog[]): Map<number, PlacedLog[]> {
  const blocks = new Map<number, PlacedLog[]>()
  for (const log of logs) {
    const block = blocks.get(log.blockNumber)
    if (block) block.push(log)
    else blocks.set(log.blockNumber, [log])
  }
  return blocks
}

function isStrictlyOrdered(logs: readonly PlacedLog[]): boolean {
  return logs.every((log, i) => {
    const before = logs[i - 1]
    return before === undefined || comparePlaces(before, log) < 0
  })
}

function comparePlaces(a: PlacedLog, b: PlacedLog): number {
  return a.blockNumber - b.blockNumber || a.transactionIndex - b.transactionIndex || a.logIndex - b.logIndex
}

function compareLogs(a: PlacedLog, b: PlacedLog): number {
  const place = comparePlaces(a, b)
  if (place !== 0) return place
  const left = contentOf(a)
  const right = contentOf(b)
  return left < right ? -1 : left > right ? 1 : 0
}

export function contentOf({ blockHash, transactionHash, logIndex, address, topics, data }: PlacedLog): string {
  return [blockHash, transactionHash, logIndex, address, ...topics, data].join()
}

export class LogMatcher {
  readonly topics: ReadonlySet<string>
  readonly emitters: ReadonlySet<string>

  constructor({ topics, emitters = [] }: LogFilter) {
    this.topics = new Set(topics)
    this.emitters = new Set(emitters)
  }

  has({ address, topics: [topic] }: Pick<Log, 'address' | 'topics'>): boolean {
    return topic === undefined ? this.emitters.has(address) : this.topics.has(topic)
  }

  /** Like `has`, but for a log as the node wrote it, perhaps in upper case. */
  hasShown({ address, topics }: RpcObject): boolean {
    const [topic] = readArray(topics, 'log.topics')
    return topic === undefined ? isAmong(this.emitters, address) : isAmong(this.topics, topic)
  }
}

function isAmong(accepted: ReadonlySet<string>, shown: unknown): boolean {
  return typeof shown === 'string' && (accepted.has(shown) || accepted.has(shown.toLowerCase()))
}

export function readFoundLogs(
  responses: readonly unknown[],
  filter: LogFilter,
  inconsistent: (what: string) => Error,
): PlacedLog[] {
  const [byTopic, byContract] = responses
  const logs = readLogs(byTopic, inconsistent)
  if (byContract === undefined) return logs
  // Logs with a topic are in the first response, or are not selected.
  const matcher = new LogMatcher({ topics: [], emitters: filter.emitters ?? [] })
  return [...logs, ...readLogs(byContract, inconsistent).filter((log) => matcher.has(log))]
}

/** Whether `logs` contain all `expected` ones. Ignores transaction indices, about which nodes disagree. */
export function containsLogs(logs: readonly Log[], expected: readonly Log[]): boolean {
  const [first] = logs
  if (first === undefined) return expected.length === 0
  let texts: ReadonlySet<string> | null = null
  return expected.every((log) => {
    // A receipt's logs are numbered consecutively, except some of Polygon's.
    const likely = logs[log.logIndex - first.logIndex]
    if (likely !== undefined && isSameLog(likely, log)) return true
    texts ??= new Set(logs.map(textOf))
    return texts.has(textOf(log))
  })
}

function isSameLog(log: Log, other: Log): boolean {
  const { logIndex, address, data, topics } = log
  if (logIndex !== other.logIndex || address !== other.address || data !== other.data) return false
  return topics.length === other.topics.length && topics.every((topic, i) => topic === other.topics[i])
}

function textOf({ address, topics, data, logIndex }: Log): string {
  return `${address} ${topics.join()} ${data} ${logIndex}`
}

/** Numbers the logs by their order in the block, because some nodes restart the indices in each receipt. */
export function placedLogs(receipts: readonly RpcObject[]): RpcObject[][] {
  let logIndex = 0
  return receipts.map(({ logs }, index) => {
    const transactionIndex = toQuantity(index)
    return readArray(logs, 'receipt.logs').map((log) => {
      return { ...readObject(log, 'log'), transactionIndex, logIndex: toQuantity(logIndex++) }
    })
  })
}
