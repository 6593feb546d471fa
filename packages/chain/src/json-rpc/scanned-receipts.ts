import { present } from '@dexfeed/dex'

/** Lengths of hex texts: an address, a hash or topic, a bloom. */
export const [ADDRESS_LENGTH, HASH_LENGTH, BLOOM_LENGTH] = [42, 66, 514] as const

/** A fixed count of numbers for each object. */
export type Places = Int32Array

/**
 * Index of each value among a receipt's numbers. A value is the place where a text begins in the response, after its
 * quote; `...End` is where a text of varying length ends. 0: missing.
 */
export const RECEIPT = {
  /** The type itself; 0 if the node does not return one. */
  type: 0,
  /** Missing before Byzantium. */
  status: 1,
  statusEnd: 2,
  root: 3,
  rootEnd: 4,
  gas: 5,
  gasEnd: 6,
  logsBloom: 7,
  transactionHash: 8,
  blockHash: 9,
  /** Index of its first log, and of the next receipt's first log. */
  logs: 10,
  logsEnd: 11,
  size: 12,
} as const

/** The same for a log. The last one is the number itself, -1 if missing. */
export const LOG = {
  address: 0,
  topicCount: 1,
  /** The first of up to four. */
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
 * Receipts in a response's text, of which nothing is copied. Places are plain numbers: an object per text would be a
 * third of what the garbage collector scans while blocks wait.
 */
export class ScannedReceipts {
  readonly text: string
  readonly count: number
  readonly #receipts: Places
  readonly #logs: Places

  constructor(text: string, { receipts, logs }: { receipts: Places; logs: Places }) {
    this.text = text
    this.count = receipts.length / RECEIPT.size
    this.#receipts = receipts
    this.#logs = logs
  }

  ofReceipt(receipt: number, field: FieldOf<typeof RECEIPT>): number {
    return present(this.#receipts[receipt * RECEIPT.size + field])
  }

  /** @param log index among the logs of all receipts */
  ofLog(log: number, field: FieldOf<typeof LOG>): number {
    return present(this.#logs[log * LOG.size + field])
  }

  topicOf(log: number, topic: number): number {
    return present(this.#logs[log * LOG.size + LOG.topics + topic])
  }
}
