import type { Hex } from '@dexfeed/dex'
import { ADDRESS_LENGTH, HASH_LENGTH, type RpcObject, readArray, readObject } from '../../../json-rpc/rpc-value.ts'
import { BLOOM_LENGTH, LOG, RECEIPT, type ScannedReceipts } from '../../../json-rpc/scan-receipts.ts'
import { type Keccak, ListRoot, loadKeccak } from './list-root.ts'
import { NotHex, RlpWriter } from './rlp-writer.ts'

const MAX_NAMES = 8
const LONGEST_LIST = 200

export type Proof =
  | { kind: 'proven'; receipts: number }
  /**
   * The header or the receipts lack fields (a lean node), or the header has `unknownFields` and does not match its hash
   * without them (a newer fork, or a lie).
   */
  | { kind: 'unknown'; what: string; unknownFields?: readonly string[] }
  | { kind: 'false'; what: string }

/**
 * Checks a block's header against its hash, and receipts and transactions against the header's roots (Yellow Paper, 4.3
 * and 4.4).
 */
export class BlockProver {
  readonly #keccak: Keccak
  readonly #roots: ListRoot

  constructor(keccak: Keccak) {
    this.#keccak = keccak
    this.#roots = new ListRoot(keccak)
  }

  static async load(): Promise<BlockProver> {
    return new BlockProver(await loadKeccak())
  }

  /**
   * @param bridged whether the receipts root may omit the last receipt, as it did for Polygon's state-sync transactions
   */
  prove(header: RpcObject, receipts: readonly RpcObject[], bridged: boolean): Proof {
    const fault = this.#faultOfHeader(header)
    if (fault !== null) return fault
    try {
      const proven = countsOf(receipts.length, bridged).find((count) =>
        this.#hasRoot(header.receiptsRoot, receipts.slice(0, count)),
      )
      if (proven !== undefined) return { kind: 'proven', receipts: proven }
    } catch (error) {
      if (!(error instanceof NotHex)) throw error
      return { kind: 'unknown', what: error.message }
    }
    return { kind: 'false', what: 'the receipts do not have the root of the header' }
  }

  /**
   * Returns the number of leading receipts that the header commits to; null if there is none, or if only `prove` can
   * decide.
   */
  provenCount(header: RpcObject, receipts: ScannedReceipts, bridged: boolean): number | null {
    if (this.#faultOfHeader(header) !== null) return null
    const root = lowerCase(header.receiptsRoot)
    try {
      const proven = countsOf(receipts.count, bridged).find(
        (count) => scannedRoot(receipts, count, this.#roots) === root,
      )
      return proven ?? null
    } catch (error) {
      if (error instanceof NotHex) return null
      throw error
    }
  }

  proveTransactions(header: RpcObject, encodings: readonly Uint8Array[]): 'proven' | 'unknown' | 'false' {
    const fault = this.#faultOfHeader(header)
    if (fault !== null) return fault.kind
    const root = this.#roots.of(encodings.length, (writer, index) =>
      writer.encoded(encodings[index] ?? new Uint8Array()),
    )
    return hexOf(root) === lowerCase(header.transactionsRoot) ? 'proven' : 'false'
  }

  hasItsHash(header: RpcObject): boolean | null {
    try {
      return headerHash(header, this.#keccak) === lowerCase(header.hash)
    } catch (error) {
      if (!(error instanceof NotHex)) throw error
      return null
    }
  }

  #faultOfHeader(header: RpcObject): Exclude<Proof, { kind: 'proven' }> | null {
    const hasItsHash = this.hasItsHash(header)
    if (hasItsHash === true) return null
    const unknown = unknownFields(header)
    if (unknown.length > 0) {
      return { kind: 'unknown', what: `a header with unknown fields: ${listed(unknown)}`, unknownFields: unknown }
    }
    if (hasItsHash === null) return { kind: 'unknown', what: 'a header that lacks fields' }
    return { kind: 'false', what: 'the header does not match its hash' }
  }

  #hasRoot(root: unknown, receipts: readonly RpcObject[]): boolean {
    return receiptsRoot(receipts, this.#roots) === lowerCase(root)
  }
}

/** Bounds the length, because a node chooses the names. */
function listed(names: readonly string[]): string {
  return names.slice(0, MAX_NAMES).join(', ').slice(0, LONGEST_LIST)
}

function countsOf(receipts: number, bridged: boolean): number[] {
  return bridged && receipts > 0 ? [receipts, receipts - 1] : [receipts]
}

function lowerCase(value: unknown): string | null {
  return typeof value === 'string' ? value.toLowerCase() : null
}

const QUANTITIES = new Set([
  'difficulty',
  'number',
  'gasLimit',
  'gasUsed',
  'timestamp',
  'baseFeePerGas',
  'blobGasUsed',
  'excessBlobGas',
  'slotNumber',
])

/** In hashing order (Yellow Paper, 4.4.3). */
const FIELDS = [
  'parentHash',
  'sha3Uncles',
  'miner',
  'stateRoot',
  'transactionsRoot',
  'receiptsRoot',
  'logsBloom',
  'difficulty',
  'number',
  'gasLimit',
  'gasUsed',
  'timestamp',
  'extraData',
  'mixHash',
  'nonce',
]

/** Appended by forks, in hashing order: EIP-1559, 4895, 4844, 4788, 7685, 7928, 7843. */
const APPENDED = [
  'baseFeePerGas',
  'withdrawalsRoot',
  'blobGasUsed',
  'excessBlobGas',
  'parentBeaconBlockRoot',
  'requestsHash',
  'blockAccessListHash',
  'slotNumber',
]

/** Fields that nodes return, but that the hash does not cover. */
const SHOWN = ['hash', 'size', 'totalDifficulty', 'transactions', 'uncles', 'withdrawals', 'milliTimestamp']
const KNOWN = new Set([...FIELDS, ...APPENDED, ...SHOWN])

function unknownFields(header: RpcObject): string[] {
  return Object.keys(header)
    .filter((name) => !KNOWN.has(name))
    .sort()
}

/** @throws NotHex if a field is missing or malformed */
export function headerHash(header: RpcObject, keccak: Keccak): Hex {
  const writer = new RlpWriter(1024)
  const appended = APPENDED.filter((name) => header[name] !== undefined && header[name] !== null)
  for (const name of [...FIELDS, ...appended].toReversed()) {
    if (QUANTITIES.has(name)) writer.quantity(header[name])
    else writer.hex(header[name])
  }
  writer.list(0)
  return `0x${Buffer.from(keccak(writer.since(0))).toString('hex')}`
}

/** @throws NotHex, MalformedResponse */
export function receiptsRoot(receipts: readonly RpcObject[], roots: ListRoot): Hex {
  return hexOf(roots.of(receipts.length, (writer, index) => writeReceipt(writer, receipts[index] ?? {})))
}

export function scannedRoot(receipts: ScannedReceipts, count: number, roots: ListRoot): Hex {
  return hexOf(roots.of(count, (writer, index) => writeScanned(writer, receipts, index)))
}

function hexOf(root: Uint8Array): Hex {
  return `0x${Buffer.from(root).toString('hex')}`
}

/** All receipt types so far have the same fields (EIP-2718, 2930, 1559, 4844, 7702). */
function writeReceipt(writer: RlpWriter, { status, root, cumulativeGasUsed, logsBloom, logs, type }: RpcObject): void {
  const end = writer.start
  for (const log of readArray(logs, 'receipt.logs').toReversed()) writeLog(writer, readObject(log, 'log'))
  writer.list(end)
  writer.hex(logsBloom)
  writer.quantity(cumulativeGasUsed)
  // Receipts before Byzantium (EIP-658) have a state root instead of a status.
  if (status === undefined || status === null) writer.hex(root)
  else writer.quantity(status)
  writer.list(end)
  writeType(writer, type === undefined || type === null ? 0 : Number(type))
}

function writeType(writer: RlpWriter, kind: number): void {
  // A higher type would be read as the start of a string or list.
  if (!(Number.isInteger(kind) && kind >= 0 && kind < 0x80)) throw new NotHex(kind)
  if (kind > 0) writer.raw(kind)
}

function writeLog(writer: RlpWriter, { address, topics, data }: RpcObject): void {
  const end = writer.start
  writer.hex(data)
  const endOfTopics = writer.start
  for (const topic of readArray(topics, 'log.topics').toReversed()) writer.hex(topic)
  writer.list(endOfTopics)
  writer.hex(address)
  writer.list(end)
}

function writeScanned(writer: RlpWriter, receipts: ScannedReceipts, index: number): void {
  const { text } = receipts
  const end = writer.start
  const firstLog = receipts.ofReceipt(index, RECEIPT.logs)
  for (let log = receipts.ofReceipt(index, RECEIPT.logsEnd) - 1; log >= firstLog; log--) {
    writeScannedLog(writer, receipts, log)
  }
  writer.list(end)
  const bloom = receipts.ofReceipt(index, RECEIPT.logsBloom)
  writer.hexAt(text, bloom, bloom + BLOOM_LENGTH)
  writer.quantityAt(text, receipts.ofReceipt(index, RECEIPT.gas), receipts.ofReceipt(index, RECEIPT.gasEnd))
  const status = receipts.ofReceipt(index, RECEIPT.status)
  const root = receipts.ofReceipt(index, RECEIPT.root)
  if (status > 0) writer.quantityAt(text, status, receipts.ofReceipt(index, RECEIPT.statusEnd))
  else if (root > 0) writer.hexAt(text, root, receipts.ofReceipt(index, RECEIPT.rootEnd))
  else throw new NotHex(null)
  writer.list(end)
  writeType(writer, receipts.ofReceipt(index, RECEIPT.type))
}

function writeScannedLog(writer: RlpWriter, receipts: ScannedReceipts, log: number): void {
  const { text } = receipts
  const end = writer.start
  writer.hexAt(text, receipts.ofLog(log, LOG.data), receipts.ofLog(log, LOG.dataEnd))
  const endOfTopics = writer.start
  for (let topic = receipts.ofLog(log, LOG.topicCount) - 1; topic >= 0; topic--) {
    const start = receipts.topicOf(log, topic)
    writer.hexAt(text, start, start + HASH_LENGTH)
  }
  writer.list(endOfTopics)
  const address = receipts.ofLog(log, LOG.address)
  writer.hexAt(text, address, address + ADDRESS_LENGTH)
  writer.list(end)
}
