import type { Hex } from '@dexfeed/dex'
import { type RpcObject, readArray, readObject } from '../json-rpc/rpc-value.ts'
import type { ScannedLog, ScannedReceipt, ScannedReceipts } from '../json-rpc/scan-receipts.ts'
import type { ListRoot } from './list-root.ts'
import { NotHex, type RlpWriter } from './rlp-writer.ts'

/** The root that a block's header commits to these receipts by. @throws NotHex, MalformedAnswer */
export function receiptsRoot(receipts: readonly RpcObject[], roots: ListRoot): Hex {
  return hexOf(roots.of(receipts.length, (writer, index) => writeReceipt(writer, receipts[index] ?? {})))
}

/** The same of the first `count` receipts as they stand in a text. @throws NotHex */
export function scannedRoot({ text, receipts }: ScannedReceipts, count: number, roots: ListRoot): Hex {
  const write = (writer: RlpWriter, index: number) => {
    const receipt = receipts[index]
    if (receipt !== undefined) writeScanned(writer, text, receipt)
  }
  return hexOf(roots.of(count, write))
}

function hexOf(root: Uint8Array): Hex {
  return `0x${Buffer.from(root).toString('hex')}`
}

/**
 * Writes a receipt as the trie holds it: outcome, gas used up to it, bloom and logs; behind the byte of its type where
 * it has one (EIP-2718). All types so far are encoded alike (EIP-2930, 1559, 4844, 7702).
 */
function writeReceipt(writer: RlpWriter, { status, root, cumulativeGasUsed, logsBloom, logs, type }: RpcObject): void {
  const end = writer.start
  for (const log of readArray(logs, 'receipt.logs').toReversed()) writeLog(writer, readObject(log, 'log'))
  writer.list(end)
  writer.hex(logsBloom)
  writer.quantity(cumulativeGasUsed)
  // Before Byzantium (EIP-658) a receipt held the state's root.
  if (status === undefined || status === null) writer.hex(root)
  else writer.quantity(status)
  writer.list(end)
  writeType(writer, type === undefined || type === null ? 0 : Number(type))
}

function writeType(writer: RlpWriter, kind: number): void {
  // Higher ones would be read as the beginning of a list.
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

function writeScanned(writer: RlpWriter, text: string, receipt: ScannedReceipt): void {
  const { logs, logsBloom, cumulativeGasUsed, status, root, type } = receipt
  const end = writer.start
  for (const log of logs.toReversed()) writeScannedLog(writer, text, log)
  writer.list(end)
  writer.hexAt(text, logsBloom)
  writer.quantityAt(text, cumulativeGasUsed)
  if (status !== null) writer.quantityAt(text, status)
  else if (root !== null) writer.hexAt(text, root)
  else throw new NotHex(null)
  writer.list(end)
  writeType(writer, type)
}

function writeScannedLog(writer: RlpWriter, text: string, { address, topics, data }: ScannedLog): void {
  const end = writer.start
  writer.hexAt(text, data)
  const endOfTopics = writer.start
  for (const topic of topics.toReversed()) writer.hexAt(text, topic)
  writer.list(endOfTopics)
  writer.hexAt(text, address)
  writer.list(end)
}
