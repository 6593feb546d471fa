import type { Address, Hex, Log } from '@dexfeed/dex'
import { type RpcObject, readAddress, readArray, readBytes, readHash, readObject, readQuantity } from './rpc-value.ts'

/** A log as a node reports it: with the block and the transaction that it claims to be of. */
export interface PlacedLog extends Log {
  blockNumber: number
  blockHash: Hex
  transactionHash: Hex
}

/** Reads an answer of eth_getLogs, or the logs of a receipt; throws `inconsistent` for a log of an orphaned block. */
export function readLogs(value: unknown, inconsistent: (what: string) => Error): PlacedLog[] {
  const known = new KnownTexts()
  let before: PlacedLog | null = null
  return readArray(value, 'logs').map((entry) => {
    const log = readObject(entry, 'log')
    if (log.removed === true) throw inconsistent('a removed log')
    before = readLog(log, before, known)
    return before
  })
}

/** Addresses and topics of one answer: the same few come again and again, and are checked and kept once. */
class KnownTexts {
  readonly #addresses = new Map<unknown, Address>()
  readonly #topics = new Map<unknown, Hex>()

  address(value: unknown): Address {
    return this.#addresses.get(value) ?? remember(this.#addresses, value, readAddress(value, 'log.address'))
  }

  topic(value: unknown): Hex {
    return this.#topics.get(value) ?? remember(this.#topics, value, readHash(value, 'log.topics'))
  }
}

function remember<T>(known: Map<unknown, T>, value: unknown, read: T): T {
  known.set(value, read)
  return read
}

/** @param before the log before it: what both are of is mostly the same, and known to be well-formed */
function readLog(log: RpcObject, before: PlacedLog | null, known: KnownTexts): PlacedLog {
  const { blockHash, transactionHash } = log
  return {
    address: known.address(log.address),
    topics: readArray(log.topics, 'log.topics').map((topic) => known.topic(topic)),
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
 * Canonical order: block, transaction, log index. A log that was delivered twice is dropped; two logs under one index
 * (some Polygon nodes number state-sync logs again) are both kept, in an order that does not depend on the node.
 */
export function inLogOrder(logs: readonly PlacedLog[]): PlacedLog[] {
  const sorted = isStrictlyOrdered(logs) ? logs : [...logs].sort(compareLogs)
  return sorted.filter((log, i) => {
    const before = sorted[i - 1]
    return before === undefined || compareLogs(before, log) !== 0
  })
}

/** Logs in log order, by block number. */
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

/** 0 only for the same log with the same content. */
function compareLogs(a: PlacedLog, b: PlacedLog): number {
  const place = comparePlaces(a, b)
  if (place !== 0) return place
  const [left, right] = [contentOf(a), contentOf(b)]
  return left < right ? -1 : left > right ? 1 : 0
}

function contentOf({ blockHash, transactionHash, address, topics, data }: PlacedLog): string {
  return [blockHash, transactionHash, address, ...topics, data].join()
}
