import { createHash } from 'node:crypto'
import { CELL_BLOCKS, type ListedNetwork } from '@dexfeed/store'
import { countRows, type RenderedBlock, type RowCounts, sumsOf } from '../rendered-block.ts'
import type { Segment, SegmentStore } from '../segment-store.ts'
import { type ListCell, type ListState, listCells, type Selection, selectedBlocks, selectedDays } from './list-state.ts'

type Piece = { segment: Segment } | { block: RenderedBlock }

export interface ListPlan extends RowCounts {
  readonly networks: readonly ListedNetwork[]
  readonly pieces: readonly Piece[]
  readonly length: number
  /** Differs whenever the bytes differ. */
  readonly tag: string
}

/** Puts a list together. Reads single rows only at the list's start and at the head. */
export async function planList(state: ListState, selection: Selection, store: SegmentStore): Promise<ListPlan> {
  const networks = selectedDays(state, selection).map(({ network }) => network)
  const pieces: Piece[] = []
  const digests: string[] = []
  const total = { rows: 0, unpriced: 0, flagged: 0, length: 0 }
  const add = (piece: Piece, { rows, unpriced, flagged }: RowCounts, length: number, digest: string) => {
    pieces.push(piece)
    digests.push(digest)
    total.rows += rows
    total.unpriced += unpriced
    total.flagged += flagged
    total.length += length
  }
  for (const cell of listCells(state, selection.network)) {
    const { segment } = cell
    // Never the first row: it has no leading comma.
    if (segment !== null && pieces.length > 0 && !isCut(cell, segment, selection)) {
      add({ segment }, segment, segment.length, segment.digest)
    } else if (!isLeftOut(cell, selection)) {
      for (const block of await selectedBlocks(cell.cells, selection, store)) {
        add({ block }, countRows([block]), block.bytes.length, sumsOf(block).digest)
      }
    }
  }
  const tag = createHash('sha256').update(digests.join()).update(Object.values(total).join()).digest('base64url')
  return { ...total, networks, pieces, tag: tag.slice(0, 27) }
}

function isLeftOut({ number, segment }: ListCell, { since, after }: Selection): boolean {
  const isBefore = after !== undefined && (number + 1) * CELL_BLOCKS <= after.blockNumber
  return isBefore || (segment !== null && segment.youngest < since)
}

function isCut({ number }: ListCell, { oldest }: Segment, { since, after }: Selection): boolean {
  return oldest < since || (after !== undefined && number * CELL_BLOCKS <= after.blockNumber)
}
