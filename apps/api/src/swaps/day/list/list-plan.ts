import { createHash } from 'node:crypto'
import { present } from '@dexfeed/dex'
import { CELL_BLOCKS, type ListedNetwork } from '@dexfeed/store'
import type { RenderedBlock, RowCounts } from '../rendered-block.ts'
import type { Segment, SegmentStore } from '../segment-store.ts'
import { addSums, type ListSpine, type ListSums, noSums, spineOf, sumsOfPart } from './list-spine.ts'
import { type ListState, type Selection, selectedBlocks, selectedDays } from './list-state.ts'

/** A part of a list: a file of rows, or the rows of a block. */
type Piece = { segment: Segment } | { block: RenderedBlock }

/** A list as of one moment. */
export interface ListPlan extends RowCounts {
  readonly networks: readonly ListedNetwork[]
  readonly pieces: Iterable<Piece>
  /** Bytes of all rows. */
  readonly length: number
  /** Differs whenever the bytes differ. */
  readonly tag: string
}

/** Puts a list together. It reads single rows only at the list's start and at the head. */
export async function planList(state: ListState, selection: Selection, store: SegmentStore): Promise<ListPlan> {
  const spine = spineOf(state, selection.network)
  const sums = noSums()
  addSums(sums, spine.sums)
  const replaced = new Map<number, readonly RenderedBlock[]>()
  let isBegun = false
  for (const [at, { cells, segment }] of spine.cells.entries()) {
    // The first row has no leading comma, so it is never taken from a file.
    if (isBegun && !isCut(spine, at, selection)) continue
    const blocks = isLeftOut(spine, at, selection) ? [] : await selectedBlocks(cells, selection, store)
    if (segment !== null) addSums(sums, sumsOfPart(segment), -1)
    for (const block of blocks) addSums(sums, sumsOfPart(block))
    replaced.set(at, blocks)
    isBegun ||= blocks.length > 0
  }
  const [rows = 0, unpriced = 0, flagged = 0, length = 0] = sums
  const networks = selectedDays(state, selection).map(({ network }) => network)
  const pieces = { [Symbol.iterator]: () => piecesOf(spine, replaced) }
  return { rows, unpriced, flagged, length, networks, pieces, tag: tagOf(sums) }
}

function isLeftOut({ cells, youngest }: ListSpine, at: number, { since, after }: Selection): boolean {
  const isBefore = after !== undefined && (present(cells[at]).number + 1) * CELL_BLOCKS <= after.blockNumber
  return isBefore || present(youngest[at]) < since
}

/** Returns whether only some of a cell's rows are selected, or its rows are in no file. */
function isCut({ cells, oldest }: ListSpine, at: number, { since, after }: Selection): boolean {
  const isBefore = after !== undefined && present(cells[at]).number * CELL_BLOCKS <= after.blockNumber
  return isBefore || present(oldest[at]) < since
}

function* piecesOf({ cells }: ListSpine, replaced: ReadonlyMap<number, readonly RenderedBlock[]>): Generator<Piece> {
  for (const [at, { segment }] of cells.entries()) {
    const blocks = replaced.get(at)
    if (blocks !== undefined) for (const block of blocks) yield { block }
    else if (segment !== null) yield { segment }
  }
}

/** Each row's bytes contain its place. So lists of equal sums have their rows in the same order. */
function tagOf(sums: ListSums): string {
  return createHash('sha256').update(sums.join()).digest('base64url').slice(0, 27)
}
