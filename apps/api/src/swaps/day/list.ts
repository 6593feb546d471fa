import { hash } from 'node:crypto'
import type { NetworkName } from '@dexfeed/dex'
import { CELL_BLOCKS, type ListedNetwork } from '@dexfeed/store'
import { combineCrc, GZIP_HEADER, gzipTrailer } from './gzip-member.ts'
import { compareRows, type ListedRow, type RowCounts, type RowPlace } from './listed-row.ts'
import type { Cell } from './network-renderer.ts'
import { type MemoryPiece, type Part, type Piece, pieceOf, piecesOf, type Range } from './piece.ts'
import type { RowStore, Segment } from './row-store.ts'

/** In order: of each network, and of all together (undefined). */
export type CellsByNetwork = Map<NetworkName | undefined, readonly Cell[]>

export interface ListState {
  readonly networks: readonly ListedNetwork[]
  /** Seconds: the rows are complete from here on. */
  readonly since: number
  readonly cells: Readonly<CellsByNetwork>
  /** Those of the store when the cells were rendered. */
  readonly failures: number
}

export interface Selection {
  /** In seconds. */
  since: number
  network?: NetworkName | undefined
  after?: RowPlace | undefined
}

export type Encoding = 'identity' | 'gzip'

export interface List extends RowCounts {
  readonly pieces: readonly Piece[]
  /** In bytes, not encoded. */
  readonly length: number
  readonly crc: number
  /** Differs whenever the bytes differ. */
  readonly tag: string
}

const NO_ROWS = { rows: 0, unpriced: 0, flagged: 0 }
const CLOSING = pieceOf(Buffer.from(']'), NO_ROWS)
const EMPTY = pieceOf(Buffer.from('[]'), NO_ROWS)

/** Returns the cells that may have rows of a list, in order. */
export function selectedCells({ cells }: ListState, { network, since, after }: Selection): Cell[] {
  const isBefore = (number: number) => after !== undefined && (number + 1) * CELL_BLOCKS <= after.blockNumber
  const all = cells.get(network) ?? []
  return all.filter(({ number, segment }) => !isBefore(number) && (segment === null || segment.youngest >= since))
}

/** Returns the rows of a cell that belong to a list. */
export async function selectedRows(cell: Cell, { since, after }: Selection, store: RowStore): Promise<ListedRow[]> {
  const rows = await store.rowsOf(cell)
  return rows.filter((row) => row.time >= since && (after === undefined || compareRows(row, after) > 0))
}

/** Puts a list together of selected cells. Reads single rows only at its start and at the head. */
export async function makeList(cells: Iterable<Cell>, selection: Selection, store: RowStore): Promise<List> {
  const pieces: Piece[] = []
  for (const cell of cells) {
    const { segment } = cell
    if (segment !== null && pieces.length > 0 && !isCut(cell, segment, selection)) pieces.push(segment)
    else {
      const [first, ...others] = piecesOf(await selectedRows(cell, selection, store))
      if (first !== undefined) pieces.push(pieces.length === 0 ? opened(first) : first, ...others)
    }
  }
  const total = { rows: 0, unpriced: 0, flagged: 0, length: 0 }
  for (const { rows, unpriced, flagged, length } of pieces) {
    total.rows += rows
    total.unpriced += unpriced
    total.flagged += flagged
    total.length += length
  }
  const facts = pieces.map(({ digest }) => digest).join() + Object.values(total).join()
  const tag = hash('sha256', facts, 'base64url').slice(0, 27)
  const end = pieces.length === 0 ? EMPTY : CLOSING
  pieces.push(end)
  const crc = pieces.reduce(combineCrc, 0)
  return { ...total, length: total.length + end.length, pieces, crc, tag }
}

function isCut({ number }: Cell, { oldest }: Segment, { since, after }: Selection): boolean {
  return oldest < since || (after !== undefined && number * CELL_BLOCKS <= after.blockNumber)
}

/** Replaces the first row's comma by the opening bracket. */
function opened(piece: MemoryPiece): Piece {
  const bytes = Buffer.concat([Buffer.from('['), piece.bytes.subarray(1)])
  return { ...pieceOf(bytes, piece), digest: piece.digest }
}

export function partsOf({ pieces, crc, length }: List, encoding: Encoding): Part[] {
  if (encoding === 'identity') return joined(pieces.map(({ text }) => text))
  return [() => GZIP_HEADER, ...joined(pieces.map(({ deflated }) => deflated)), () => gzipTrailer(crc, length)]
}

/** Joins ranges that follow each other. */
function joined(parts: readonly Part[]): Part[] {
  const result: Part[] = []
  let last: Range | null = null
  for (const part of parts) {
    if ('file' in part && last?.file === part.file && last.start + last.length === part.start)
      last.length += part.length
    else {
      last = 'file' in part ? { ...part } : null
      result.push(last ?? part)
    }
  }
  return result
}
