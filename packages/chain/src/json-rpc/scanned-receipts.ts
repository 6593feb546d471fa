/** Lengths of texts in hex: of an address, of a hash or a topic, of a bloom. */
export const [ADDRESS_LENGTH, HASH_LENGTH, BLOOM_LENGTH] = [42, 66, 514] as const

/** Numbers of one object after the other. */
export type Places = Int32Array

/**
 * What is noted of a receipt, by its place among the receipt's numbers: where texts begin in the answer, behind their
 * quote, and where those end whose length varies. 0: it is not there.
 */
export const RECEIPT = {
  /** The number itself; 0 where the node shows none. */
  type: 0,
  /** None before Byzantium. */
  status: 1,
  statusEnd: 2,
  root: 3,
  rootEnd: 4,
  gas: 5,
  gasEnd: 6,
  logsBloom: 7,
  transactionHash: 8,
  blockHash: 9,
  /** The first of its logs, and the first of the next receipt's. */
  logs: 10,
  logsEnd: 11,
  size: 12,
} as const

/** The same of a log. The last three are the numbers themselves, -1 where they are not there. */
export const LOG = {
  address: 0,
  topicCount: 1,
  /** The first of at most four. */
  topics: 2,
  data: 6,
  dataEnd: 7,
  blockHash: 8,
  transactionHash: 9,
  blockNumber: 10,
  transactionIndex: 11,
  logIndex: 12,
  size: 13,
} as const

/** The place of a field among an object's numbers. */
type FieldOf<Fields> = Exclude<Fields[keyof Fields], Fields['size' & keyof Fields]>

/**
 * Receipts as they stand in an answer's text, of which nothing is copied. The places are plain numbers: an object for
 * each text would be a third of what the garbage collector has to look at while blocks wait for their turn.
 */
export class ScannedReceipts {
  readonly text: string
  /** How many receipts there are. */
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
    return this.#receipts[receipt * RECEIPT.size + field] ?? 0
  }

  /** @param log its place among the logs of all receipts */
  ofLog(log: number, field: FieldOf<typeof LOG>): number {
    return this.#logs[log * LOG.size + field] ?? 0
  }

  /** Where a topic of a log stands. */
  topicOf(log: number, topic: number): number {
    return this.#logs[log * LOG.size + LOG.topics + topic] ?? 0
  }
}
