import { type BlockHeader, copyOf, type Hex, type Transaction, ZERO_ADDRESS } from '@dexfeed/dex'
import { ObjectTexts } from './cut-lists.ts'
import {
  MalformedResponse,
  type RpcObject,
  readAddress,
  readAmount,
  readArray,
  readBytes,
  readHash,
  readObject,
  readQuantity,
  readText,
} from './rpc-value.ts'

export function readHeader(value: unknown): BlockHeader | null {
  if (value === null || value === undefined) return null
  return headerOf(readObject(value, 'block'))
}

/** @throws MalformedResponse if the block, which every node has, is missing */
export function readPresentHeader(value: unknown, field: string): BlockHeader {
  const header = readHeader(value)
  if (!header) throw new MalformedResponse({ field, value })
  return header
}

function headerOf(block: RpcObject): BlockHeader {
  const header: BlockHeader = {
    number: readQuantity(block.number, 'block.number'),
    hash: readHash(block.hash, 'block.hash'),
    parentHash: readHash(block.parentHash, 'block.parentHash'),
    timestamp: readQuantity(block.timestamp, 'block.timestamp'),
  }
  return logsEther(block) ? { ...header, logsEther: true } : header
}

/**
 * Whether a block logs transfers of the native coin (EIP-7708). The header fields of EIP-7928 and EIP-7843 show this.
 */
function logsEther({ blockAccessListHash, slotNumber }: RpcObject): boolean {
  return typeof blockAccessListHash === 'string' && typeof slotNumber === 'string'
}

/** Returns a block's logsBloom, or zeros if the node omits it. */
export function readBloom(value: unknown): Hex {
  const { logsBloom } = readObject(value, 'block')
  return typeof logsBloom === 'string' ? readBytes(logsBloom, 'block.logsBloom') : EMPTY_BLOOM
}

export interface FullBlock {
  header: BlockHeader
  logsBloom: Hex
  transactionCount: number
  isAt(index: number, hash: Hex): boolean
  /**
   * Returns the transaction at this index if it has this hash, else null. If the body is only a part, searches it by
   * hash.
   */
  transaction(index: number, hash: Hex): Transaction | null
  raw(index: number): RpcObject
  transactions(): Transaction[]
}

export const EMPTY_BLOOM: Hex = `0x${'0'.repeat(512)}`
/** Type of Polygon's unsigned transaction that carries bridged state (PIP-74). */
export const STATE_SYNC = 0x7f
const STATE_SYNC_TYPE = `0x${STATE_SYNC.toString(16)}`

export function readFullBlock(value: unknown): FullBlock | null {
  if (value === null || value === undefined) return null
  const block = readObject(value, 'block')
  const body = bodyOf(block.transactions)
  let positions: Map<string, number> | null = null
  const positionOf = (hash: Hex): number => {
    positions ??= new Map(
      Array.from({ length: body.count }, (_, i) => [readHash(body.raw(i).hash, 'transaction.hash'), i]),
    )
    return positions.get(hash) ?? -1
  }

  return {
    header: headerOf(block),
    logsBloom: readBloom(block),
    transactionCount: body.count,
    isAt: (index, hash) => index < body.count && body.isAt(index, hash),
    transaction: (index, hash) => {
      if (index < body.count && body.isAt(index, hash)) return readTransaction(body.fields(index), hash)
      const position = positionOf(hash)
      if (position < 0) return null
      const raw = body.raw(position)
      return readQuantity(raw.transactionIndex, 'transaction.transactionIndex') === index
        ? readTransaction(raw, hash)
        : null
    },
    raw: body.raw,
    transactions: () =>
      Array.from({ length: body.count }, (_, index) => readTransaction(body.fields(index), body.hash(index))),
  }
}

interface BlockBody {
  count: number
  isAt(index: number, hash: Hex): boolean
  hash(index: number): Hex
  fields(index: number): RpcObject
  raw(index: number): RpcObject
}

function bodyOf(transactions: unknown): BlockBody {
  if (transactions instanceof ObjectTexts) return bodyOfTexts(transactions)
  const list = readArray(transactions, 'block.transactions')
  const raw = (index: number) => readObject(list[index], 'transaction')
  const hashOf = (index: number) => readHash(raw(index).hash, 'transaction.hash')
  return { count: list.length, isAt: (index, hash) => hashOf(index) === hash, hash: hashOf, fields: raw, raw }
}

function bodyOfTexts(texts: ObjectTexts): BlockBody {
  const raw = (index: number) => readText(texts, index, 'transaction')
  const hashOf = (index: number) => {
    const shown = texts.field(index, 'hash')
    return readHash(shown === undefined ? raw(index).hash : copyOf(shown), 'transaction.hash')
  }
  return {
    count: texts.count,
    isAt: (index, hash) => texts.fieldIs(index, 'hash', hash) || readHash(raw(index).hash, 'transaction.hash') === hash,
    hash: hashOf,
    fields(index) {
      const from = texts.field(index, 'from')
      const value = texts.field(index, 'value')
      if (from === undefined || value === undefined) return raw(index)
      return { from: copyOf(from), value, type: texts.field(index, 'type') }
    },
    raw,
  }
}

export function readTransaction(raw: RpcObject, hash: Hex): Transaction {
  const hasNoSender = raw.from === null || raw.from === undefined || raw.from === ZERO_ADDRESS
  const unsigned = hasNoSender || raw.type === STATE_SYNC_TYPE
  return {
    hash,
    from: unsigned ? null : readAddress(raw.from, 'transaction.from'),
    value: unsigned || raw.value === undefined || raw.value === null ? 0n : readAmount(raw.value, 'transaction.value'),
  }
}
