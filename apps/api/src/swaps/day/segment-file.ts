import type { Address, NetworkName } from '@dexfeed/dex'
import { deflatePiece } from './gzip-member.ts'
import { countRows, type RenderedBlock, type RowCounts, type Sums, sumsOfBytes } from './rendered-block.ts'

// Layout of a file, whose segments are in the order of the list:
//
//   rows | the same rows, deflated | index of blocks and rows | facts of the segments, as JSON | length of the facts | MAGIC
//
// The number in MAGIC changes with the text of rows (swapJson), so that files with older rows are ignored.
const MAGIC = Buffer.from('dexfeed list 1\n')
export const FOOTER_LENGTH = 4 + MAGIC.length

export interface SegmentFacts extends RowCounts, Sums {
  name: string
  network: NetworkName | null
  start: number
  length: number
  deflatedStart: number
  deflatedLength: number
  indexStart: number
  indexLength: number
  oldest: number
  youngest: number
  unknown: readonly Address[]
}

export interface SegmentRows {
  name: string
  network: NetworkName | null
  blocks: readonly RenderedBlock[]
  unknown: readonly Address[]
}

export interface EncodedSegment {
  facts: SegmentFacts
  rows: Buffer
  deflated: Buffer
  index: Buffer
}

export async function encodeSegment({ name, network, blocks, unknown }: SegmentRows): Promise<EncodedSegment> {
  const rows = Buffer.concat(blocks.map(({ bytes }) => bytes))
  const deflated = await deflatePiece(rows)
  const index = encodeIndex(blocks)
  const facts: SegmentFacts = {
    name,
    network,
    ...countRows(blocks),
    ...sumsOfBytes(rows),
    start: 0,
    length: rows.length,
    deflatedStart: 0,
    deflatedLength: deflated.length,
    indexStart: 0,
    indexLength: index.length,
    unknown,
    oldest: blocks.reduce((oldest, { time }) => Math.min(oldest, time), Number.POSITIVE_INFINITY),
    youngest: blocks.reduce((youngest, { time }) => Math.max(youngest, time), Number.NEGATIVE_INFINITY),
  }
  return { facts, rows, deflated, index }
}

export function encodeFile(segments: readonly EncodedSegment[]): { segments: SegmentFacts[]; pieces: Buffer[] } {
  let start = 0
  let deflatedStart = sum(segments.map(({ rows }) => rows.length))
  let indexStart = deflatedStart + sum(segments.map(({ deflated }) => deflated.length))
  const placed = segments.map(({ facts }): SegmentFacts => {
    const at = { ...facts, start, deflatedStart, indexStart }
    start += facts.length
    deflatedStart += facts.deflatedLength
    indexStart += facts.indexLength
    return at
  })
  const head = Buffer.from(JSON.stringify(placed))
  const length = Buffer.alloc(4)
  length.writeUInt32LE(head.length)
  const bodies = [...segments.map(({ rows }) => rows), ...segments.map(({ deflated }) => deflated)]
  return { segments: placed, pieces: [...bodies, ...segments.map(({ index }) => index), head, length, MAGIC] }
}

/** Returns the length of the facts from a file's last bytes; null if it is of another format, or not complete. */
export function headLength(footer: Buffer): number | null {
  return footer.length === FOOTER_LENGTH && footer.subarray(4).equals(MAGIC) ? footer.readUInt32LE(0) : null
}

/** Parses the facts of the segments, which follow `bodyLength` bytes. */
export function readHead(json: Buffer, bodyLength: number): SegmentFacts[] {
  try {
    const segments: SegmentFacts[] = JSON.parse(json.toString())
    const isWhole = segments.every(({ indexStart, indexLength }) => indexStart + indexLength <= bodyLength)
    return isWhole ? segments : []
  } catch {
    return []
  }
}

export function blocksOf({ network, rows: count }: SegmentFacts, rows: Buffer, indexBytes: Buffer): RenderedBlock[] {
  if (network === null) throw new Error('rows of several networks are read network by network')
  // Typed arrays begin at multiples of their width.
  const index = new Uint8Array(indexBytes).buffer
  const [blockCount = 0] = new Float64Array(index, 0, 1)
  const numbers = new Float64Array(index, 8, 3 * blockCount)
  const rowsAt = 8 + numbers.byteLength
  const column = (at: number) => new Uint32Array(index, rowsAt + 4 * count * at, count)
  const ends = column(0)
  const transactions = column(1)
  const positions = column(2)
  const marks = new Uint8Array(index, rowsAt + 12 * count, count)
  let row = 0
  let start = 0
  return Array.from({ length: blockCount }, (_, at): RenderedBlock => {
    const [number = 0, time = 0, length = 0] = numbers.subarray(3 * at, 3 * at + 3)
    const to = row + length
    const end = ends[to - 1] ?? start
    const first = start
    const block = {
      network,
      number,
      time,
      bytes: rows.subarray(start, end),
      ends: ends.slice(row, to).map((absolute) => absolute - first),
      transactions: transactions.subarray(row, to),
      positions: positions.subarray(row, to),
      marks: marks.subarray(row, to),
    }
    row = to
    start = end
    return block
  })
}

function encodeIndex(blocks: readonly RenderedBlock[]): Buffer {
  const numbers = blocks.flatMap(({ number, time, marks }) => [number, time, marks.length])
  const rows = sum(blocks.map(({ marks }) => marks.length))
  const ends = new Uint32Array(rows)
  const transactions = new Uint32Array(rows)
  const positions = new Uint32Array(rows)
  const marks = new Uint8Array(rows)
  let row = 0
  let start = 0
  for (const block of blocks) {
    block.ends.forEach((end, at) => {
      ends[row + at] = start + end
    })
    transactions.set(block.transactions, row)
    positions.set(block.positions, row)
    marks.set(block.marks, row)
    row += block.marks.length
    start += block.bytes.length
  }
  const header = Float64Array.from([blocks.length, ...numbers])
  return Buffer.concat([header, ends, transactions, positions, marks].map(bytesOf))
}

function bytesOf(array: Float64Array | Uint32Array | Uint8Array): Buffer {
  return Buffer.from(array.buffer, array.byteOffset, array.byteLength)
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
