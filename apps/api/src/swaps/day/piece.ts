import { hash } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import { crc32 } from 'node:zlib'
import { present } from '@dexfeed/dex'
import { crcShift, deflatePiece, type PieceSums } from './gzip-member.ts'
import { countRows, type ListedRow, type RowCounts } from './listed-row.ts'

/** Bytes of a file. */
export interface Range {
  file: FileHandle
  start: number
  length: number
}

export type Part = Range | (() => Buffer | Promise<Buffer>)

/** Rows that follow each other in a list. */
export interface Piece extends RowCounts, PieceSums {
  /** In bytes, not deflated. */
  readonly length: number
  readonly digest: string
  /** Each row has a leading comma. */
  readonly text: Part
  readonly deflated: Part
}

export interface MemoryPiece extends Piece {
  readonly bytes: Buffer
}

export function textOf(rows: readonly ListedRow[]): Buffer {
  return Buffer.from(rows.map(({ json }) => `,${json}`).join(''))
}

/** Returns a piece in memory, which is deflated once. */
export function pieceOf(bytes: Buffer, { rows, unpriced, flagged }: RowCounts): MemoryPiece {
  let work: Promise<Buffer> | undefined
  const deflated = () => {
    work ??= deflatePiece(bytes)
    return work
  }
  return { rows, unpriced, flagged, ...sumsOf(bytes), bytes, text: () => bytes, deflated }
}

export function sumsOf(bytes: Buffer): Pick<Piece, 'length' | 'digest' | 'crc' | 'shift'> {
  const digest = hash('sha256', bytes, 'base64url').slice(0, 24)
  return { length: bytes.length, digest, crc: crc32(bytes), shift: crcShift(bytes.length) }
}

const known = new WeakMap<ListedRow, MemoryPiece>()

/**
 * Returns a piece per block, the same for all lists that have its rows: it is known by the first of them, because lists
 * leave out whole blocks, or the rows before one.
 */
export function piecesOf(rows: readonly ListedRow[]): MemoryPiece[] {
  const pieces: MemoryPiece[] = []
  for (let from = 0, to = 0; from < rows.length; from = to) {
    const first = present(rows[from])
    while (rows[to]?.blockNumber === first.blockNumber && rows[to]?.network === first.network) to++
    const block = rows.slice(from, to)
    const piece = known.get(first) ?? pieceOf(textOf(block), countRows(block))
    known.set(first, piece)
    pieces.push(piece)
  }
  return pieces
}
