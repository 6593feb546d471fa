import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { NETWORK_NAMES, type NetworkName, present } from '@dexfeed/dex'
import { crcShift, type PieceSums } from './gzip-member.ts'

/** Marks of rows whose value is unknown, or flagged. */
export const UNPRICED = 1
export const FLAGGED = 2

export interface RowPlace {
  network: NetworkName
  blockNumber: number
  transactionIndex: number
  position: number
}

export interface RenderedBlock {
  readonly network: NetworkName
  readonly number: number
  readonly time: number
  /** All rows, each with a leading comma. */
  readonly bytes: Buffer
  readonly ends: Uint32Array
  readonly transactions: Uint32Array
  readonly positions: Uint32Array
  readonly marks: Uint8Array
}

export interface RowCounts {
  rows: number
  unpriced: number
  flagged: number
}

export function countRows(blocks: Iterable<RenderedBlock>): RowCounts {
  const counts = { rows: 0, unpriced: 0, flagged: 0 }
  for (const { marks } of blocks) {
    counts.rows += marks.length
    for (const mark of marks) {
      if (mark & UNPRICED) counts.unpriced++
      if (mark & FLAGGED) counts.flagged++
    }
  }
  return counts
}

const RANK = Object.fromEntries(NETWORK_NAMES.map((network, rank) => [network, rank])) as Record<NetworkName, number>

interface BlockPlace {
  number: number
  network: NetworkName
}

/** Orders blocks as the list does: by number, then by network (eth, bsc, polygon). */
export function compareBlocks(a: BlockPlace, b: BlockPlace): number {
  return a.number - b.number || RANK[a.network] - RANK[b.network]
}

function startOfRow({ ends }: RenderedBlock, row: number): number {
  return row === 0 ? 0 : present(ends[row - 1])
}

export function sliceBlock(block: RenderedBlock, from: number, to: number): RenderedBlock {
  if (from === 0 && to >= block.ends.length) return block
  const start = startOfRow(block, from)
  const ends = block.ends.slice(from, to).map((end) => end - start)
  return {
    network: block.network,
    number: block.number,
    time: block.time,
    bytes: block.bytes.subarray(start, startOfRow(block, Math.min(to, block.ends.length))),
    ends,
    transactions: block.transactions.subarray(from, to),
    positions: block.positions.subarray(from, to),
    marks: block.marks.subarray(from, to),
  }
}

export function rowsAfter(block: RenderedBlock, place: RowPlace): RenderedBlock {
  const order = compareBlocks(block, { number: place.blockNumber, network: place.network })
  if (order > 0) return block
  if (order < 0) return sliceBlock(block, block.ends.length, block.ends.length)
  const { transactions, positions } = block
  const first = transactions.findIndex(
    (transaction, row) =>
      transaction > place.transactionIndex ||
      (transaction === place.transactionIndex && present(positions[row]) > place.position),
  )
  return sliceBlock(block, first === -1 ? transactions.length : first, transactions.length)
}

export interface Sums extends PieceSums {
  digest: string
}

export function sumsOfBytes(bytes: Buffer): Sums {
  return { crc: crc32(bytes), shift: crcShift(bytes.length), digest: digestOf(bytes) }
}

const known = new WeakMap<RenderedBlock, Sums>()

export function sumsOf(block: RenderedBlock): Sums {
  const found = known.get(block)
  if (found !== undefined) return found
  const sums = sumsOfBytes(block.bytes)
  known.set(block, sums)
  return sums
}

export function digestOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('base64url').slice(0, 24)
}
