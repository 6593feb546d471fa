import type { Hex } from '@dexfeed/dex'
import { type RpcObject, readArray, readObject } from '../../../json-rpc/rpc-value.ts'
import {
  ADDRESS_LENGTH,
  BLOOM_LENGTH,
  HASH_LENGTH,
  LOG,
  RECEIPT,
  type ScannedReceipts,
} from '../../../json-rpc/scanned-receipts.ts'
import type { ListRoot } from './list-root.ts'
import { NotHex, type RlpWriter } from './rlp-writer.ts'

/** Computes the root by which a block's header commits to these receipts. @throws NotHex, MalformedResponse */
export function receiptsRoot(receipts: readonly RpcObject[], roots: ListRoot): Hex {
  return hexOf(roots.of(receipts.length, (writer, index) => writeReceipt(writer, receipts[index] ?? {})))
}

/** Computes the same for the first `count` receipts in a response's text. @throws NotHex */
export function scannedRoot(receipts: ScannedReceipts, count: number, roots: ListRoot): Hex {
  return hexOf(roots.of(count, (writer, index) => writeScanned(writer, receipts, index)))
}

export function hexOf(root: Uint8Array): Hex {
  return `0x${Buffer.from(root).toString('hex')}`
}

/**
 * Writes a receipt as the trie holds it: outcome, gas used so far, bloom and logs, after the byte of its type if it has
 * one (EIP-2718). All types so far are encoded alike (EIP-2930, 1559, 4844, 7702).
 */
function writeReceipt(writer: RlpWriter, { status, root, cumulativeGasUsed, logsBloom, logs, type }: RpcObject): void {
  const end = writer.start
  for (const log of readArray(logs, 'receipt.logs').toReversed()) writeLog(writer, readObject(log, 'log'))
  writer.list(end)
  writer.hex(logsBloom)
  writer.quantity(cumulativeGasUsed)
  // Before Byzantium (EIP-658), a receipt held the state root.
  if (status === undefined || status === null) writer.hex(root)
  else writer.quantity(status)
  writer.list(end)
  writeType(writer, type === undefined || type === null ? 0 : Number(type))
}

function writeType(writer: RlpWriter, kind: number): void {
  // Higher types would be read as the start of a list.
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
    const at = receipts.topicOf(log, topic)
    writer.hexAt(text, at, at + HASH_LENGTH)
  }
  writer.list(endOfTopics)
  const address = receipts.ofLog(log, LOG.address)
  writer.hexAt(text, address, address + ADDRESS_LENGTH)
  writer.list(end)
}
